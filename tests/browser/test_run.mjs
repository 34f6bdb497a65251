// test_run.mjs -- the page of a run: pointing at a curve, or walking along it, reads the log's numbers.
import {readFile} from 'node:fs/promises';

// The rows of a CSV, each by its column's name.
const log = async path => {
  const [head, ...lines] = (await readFile(path, 'utf8')).trim().split('\n').map(line => line.split(','));
  return lines.map(line => Object.fromEntries(head.map((name, i) => [name, line[i]])));
};
const words = row => `step ${Number(row.step).toLocaleString('en')}`
  + (row.train_loss ? ` \u00b7 training ${Number(row.train_loss).toFixed(4)}` : '')
  + (row.val_loss ? ` \u00b7 validation ${Number(row.val_loss).toFixed(4)}` : '');

export default async function (test, folder) {
  for (const name of ['english', 'many', 'going-on']) {
    const page = await test.open(`out/${name}.html`);
    // The log of a run that goes on may be ahead of its page.
    const last = await page.evaluate(() => rows.at(-1)[0]);
    const rows = (await log(`${folder}/out/${name}.csv`)).filter(row => Number(row.step) <= last);
    const read = page.locator('#read'), figures = page.locator('[data-x]');
    const says = async (row, what) => test.check((await read.textContent()).startsWith(words(row)), `${name}: ${what}`, `${await read.textContent()} is not ${words(row)}`);
    test.equal(await figures.count(), 2, `${name}: two charts of the loss`);
    for (const figure of await figures.all()) {
      await figure.focus();
      await says(rows.at(-1), 'a chart that has the focus reads its last row');
      await page.keyboard.press('ArrowLeft');
      await says(rows.at(-2), 'the arrow key goes back');
      await page.keyboard.press('Home');
      await says(rows[0], 'Home goes to the beginning');
      const box = await figure.locator('svg').boundingBox();
      await page.mouse.move(box.x + box.width * 0.999, box.y + box.height / 2);
      if (name !== 'going-on') await says(rows.at(-1), 'pointing at the right end reads the last row');
      await page.mouse.move(box.x + box.width * 0.05, box.y + box.height / 2);
      await says(rows[0], 'pointing at the left end reads the first');
    }
    await page.locator('summary').last().click();
    test.check(await page.getByText('--learning-rate', {exact: true}).isVisible(), `${name}: all settings on demand`);
    const follow = page.locator('#follow');
    test.equal(await follow.count(), name === 'going-on' ? 1 : 0, `${name}: a page of a run that goes on loads itself anew`);
    if (name === 'going-on') {
      await follow.uncheck();
      await page.reload();
      test.equal(await follow.isChecked(), false, `${name}: unless one does not want to`);
    }
    await test.close(page);
    await test.looks_good(`out/${name}.html`, `run-${name}`);
  }
}
