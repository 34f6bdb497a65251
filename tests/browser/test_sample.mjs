// test_sample.mjs -- the page of samples: what it shows of a character is what its table says, and the text is whole.
import {readFile} from 'node:fs/promises';

export default async function (test, folder) {
  for (const name of ['sample-english', 'sample-chinese']) {
    const page = await test.open(`${name}.html`);
    const samples = page.locator('.sample'), printed = await readFile(`${folder}/${name}.txt`, 'utf8');
    const texts = await samples.evaluateAll(all => all.map(s => s.querySelector('.text').textContent.replaceAll('\u21b5', '')));
    test.equal(texts.map(text => text + '\n').join('---------------\n'), printed, `${name}: the text that was printed`);
    const chars = samples.first().locator('.new'), rows = samples.first().locator('tbody tr');
    test.equal(await chars.count(), await rows.count(), `${name}: a row for each character`);
    for (const i of [0, 7, 20]) {
      const bits = await rows.nth(i).locator('td').nth(2).textContent();
      const p = Number(await rows.nth(i).locator('td').nth(3).textContent());
      test.near(Number(bits), -Math.log2(p), 0.005 + 1e-4 / p, `${name}: bits of character ${i}`);
      await chars.nth(i).hover();
      test.check((await page.locator('#bits').textContent()).startsWith(`${bits} bits`), `${name}: hovering shows bits`);
      test.equal(await page.locator('#then b').allTextContents(), await rows.nth(i).locator('.guess').evaluateAll(all => all.map(g => g.firstChild.textContent)), `${name}: and what else there was`);
    }
    await chars.nth(3).focus();
    await page.keyboard.press('ArrowRight');
    test.equal(await page.evaluate(() => all('.new').indexOf(document.activeElement)), 4, `${name}: arrow keys`);
    await page.locator('label').click();
    test.check(/^"\d+\.\d"$/.test(await chars.nth(3).evaluate(e => getComputedStyle(e, '::after').content)), `${name}: bits as numbers`);
    await test.close(page);
    await test.looks_good(`${name}.html`, name);
    if (name === 'sample-english') await test.looks_good(`${name}.html`, `${name}-numbers`, page => page.locator('label').click());
  }
}
