// run.mjs FOLDER PICTURES -- every test_*.mjs beside it, with the pages of FOLDER.
import {readdir} from 'node:fs/promises';
import {Test} from './browser.mjs';

const [folder, pictures] = process.argv.slice(2), here = new URL('.', import.meta.url);
const test = await Test.start(folder, pictures);
for (const file of (await readdir(here)).filter(name => /^test_.*\.mjs$/.test(name)).sort())
  try {
    await (await import(new URL(file, here))).default(test, folder);
  } catch (error) {
    test.check(false, file, error.stack);
  }
process.exitCode = await test.end();
