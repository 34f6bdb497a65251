// test_attention.mjs -- the page of attention: the weights it shows are those of --json.
import {readFile} from 'node:fs/promises';

const caption = (page, h) => page.locator('.head .top').nth(h).textContent();
const weight_in = text => Number(text.slice(text.lastIndexOf(' ')));
const here = page => page.evaluate(() => [...document.querySelectorAll('#text span')].findIndex(c => c.classList.contains('here')));
const focused = page => page.evaluate(() => [...document.querySelectorAll('#text span')].indexOf(document.activeElement));

export default async function (test, folder) {
  for (const name of ['english', 'chinese']) {
    const json = JSON.parse(await readFile(`${folder}/${name}.json`, 'utf8')), T = json.prompt_ids.length;
    const page = await test.open(`${name}.html`);
    const chars = page.locator('#text span');
    test.equal(await chars.count(), T, `${name}: an element for each character`);
    test.equal(await page.locator('.head').count(), json.heads.length, `${name}: a map for each head`);

    // Every weight that the page holds, to the last digit it has.
    const held = await page.evaluate(() => heads.map(w => Array.from(w)));
    const far = json.heads.map((head, h) => Math.max(...head.weights.flat().map((w, n) => Math.abs(w - held[h][n]))));
    test.check(Math.max(...far) <= 0.5e-4 + 1e-7, `${name}: all weights are those of --json`, Math.max(...far));

    // Under the pointer: each head says from where it gathers most.
    const i = Math.floor(T / 2);
    await chars.nth(i).hover();
    test.equal(await here(page), i, `${name}: the pointer shows its character`);
    for (let h = 0; h < json.heads.length; h++)
      test.near(weight_in(await caption(page, h)), Math.max(...json.heads[h].weights[i]), 0.5e-4 + 1e-7, `${name}: the largest weight of head ${h}`);
    const mean = json.heads[0].weights[i].map((_, j) => json.heads.reduce((sum, head) => sum + head.weights[i][j] / json.heads.length, 0));
    test.near(Number(await page.locator('#from em').first().textContent()), Math.max(...mean), 1e-4, `${name}: the largest of the mean`);

    // A click on a map: that head alone, and its exact weights.
    const h = json.heads.length - 1;
    await page.locator('.head').nth(h).click();
    test.equal(await page.locator('.head').nth(h).getAttribute('aria-pressed'), 'true', `${name}: a click chooses a head`);
    await chars.nth(i).focus();
    await page.locator('#exact summary').click();
    const rows = (await page.locator('#rows tr td:last-child').allTextContents()).map(Number);
    test.equal(rows, json.heads[h].weights[i].map(w => Number(w.toFixed(4))), `${name}: exact weights`);

    // In a map: the weight under the pointer.
    const box = await page.locator('.map').nth(h).boundingBox();
    await page.mouse.move(box.x + box.width * 1.5 / T, box.y + box.height * (i + 0.5) / T);
    test.near(weight_in(await caption(page, h)), json.heads[h].weights[i][1], 0.5e-4 + 1e-7, `${name}: the weight under the pointer`);

    // What was expected.
    const guesses = await page.locator('#next li').nth(i).locator('.guess').evaluateAll(all => all.map(g => [g.firstChild.textContent, Number(g.lastChild.textContent)]));
    test.equal(guesses.length, json.next[i].length, `${name}: so many guesses`);
    json.next[i].forEach((g, k) => test.near(guesses[k][1], g.p, 0.5e-3 + 1e-7, `${name}: guess ${k}`));

    // From the keyboard.
    await chars.nth(i).focus();
    for (const [key, to] of [['ArrowRight', i + 1], ['ArrowLeft', i], ['Home', 0], ['ArrowLeft', 0], ['End', T - 1], ['ArrowRight', T - 1]]) {
      await page.keyboard.press(key);
      test.equal([await focused(page), await here(page)], [to, to], `${name}: ${key} goes to ${to}`);
    }
    await page.keyboard.press('Home');
    test.equal(await page.evaluate(() => all('#text span').filter(c => c.tabIndex === 0).length), 1, `${name}: one stop for the Tab key`);
    test.check(/1 of \d+; .* gathers from .*; expected next: /.test(await chars.nth(0).getAttribute('aria-label')), `${name}: a screen reader is told`, await chars.nth(0).getAttribute('aria-label'));
    await page.keyboard.press('Enter');
    test.equal(await page.locator('#exact').evaluate(e => e.open), false, `${name}: Enter shows and hides exact weights`);
    await test.close(page);
    await test.looks_good(`${name}.html`, `attention-${name}`, page => page.locator('#text span').nth(i).focus());
  }

  // On a phone, lines wrap: up and down go to the line above and below.
  const page = await test.open('english.html', {viewport: {width: 360, height: 800}});
  await page.locator('#text span').nth(2).focus();
  await page.keyboard.press('ArrowDown');
  const below = await focused(page);
  await page.keyboard.press('ArrowUp');
  test.check(below > 10, 'ArrowDown goes to the next line', below);
  test.equal(await focused(page), 2, 'and ArrowUp back');
  await test.close(page);

  // A picture that stands alone has its own paper, so that it can be read wherever it is.
  for (const [colorScheme, paper] of [['light', 'rgb(255, 255, 255)'], ['dark', 'rgb(22, 24, 28)']]) {
    const picture = await test.open('english.svg', {colorScheme});
    test.equal(await picture.evaluate(() => getComputedStyle(document.querySelector('.paper')).fill), paper, `a picture in ${colorScheme}`);
    await picture.screenshot({path: `${test.pictures}/attention-svg-${colorScheme}.png`});
    await test.close(picture);
  }

  // Markup is text, and the page stays whole.
  const markup = await test.open('markup.html');
  test.equal(await markup.locator('#text').evaluate(e => e.textContent), await readFile(`${folder}/markup.txt`, 'utf8'), 'markup is shown as text');
  test.equal(await markup.evaluate(() => window.broken), undefined, 'and not run');
  await test.close(markup);
  await test.looks_good('large.html', 'attention-large');
  await test.looks_good('one.html', 'attention-one-head');
  await test.looks_good('bytes.html', 'attention-bytes');
}
