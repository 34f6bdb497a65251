// browser.mjs -- what the tests of pages share: a browser, checks that count, and what must hold of any page.
//
// A file test_NAME.mjs exports a function, which gets a Test and the folder with the pages that ../browser.sh made.
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const {chromium} = createRequire(process.env.BROWSER_BUILD + '/')('playwright-core');

// Runs in the page. Complaints about text that runs out of its box or of the window, or over its neighbours.
function faults_of_layout() {
  const faults = [], root = document.documentElement;
  const name = e => `<${e.tagName.toLowerCase()}${e.id ? ' #' + e.id : ''}${e.getAttribute('class') ? ' .' + e.getAttribute('class') : ''}>`
    + ` "${(e.textContent || '').trim().slice(0, 20)}"`;
  const visible = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility === 'visible';
  const scrolls = e => { for (; e; e = e.parentElement) if (/auto|scroll/.test(getComputedStyle(e).overflow)) return true; return false; };
  if (root.scrollWidth > root.clientWidth) faults.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  const has_text = e => e.textContent.trim() !== '' && !/^(SCRIPT|STYLE|TITLE|DESC|OPTION)$/i.test(e.tagName);
  for (const e of document.body.querySelectorAll('*')) {
    if (!has_text(e) || !visible(e)) continue;
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (own && !scrolls(e) && (box.left < -1 || box.right > root.clientWidth + 1)) faults.push(`out of the window: ${name(e)}`);
    if (own && style.display !== 'inline' && !scrolls(e) && !(e instanceof SVGElement) && e.scrollWidth > e.clientWidth + 1)
      faults.push(`${e.scrollWidth} wide in a box of ${e.clientWidth}: ${name(e)}`);
    // Children that stand side by side or one below the other; running text may wrap around.
    const beside = [...e.children].filter(c => has_text(c) && visible(c) && !/absolute|fixed|sticky/.test(getComputedStyle(c).position)
      && (c instanceof SVGTextElement || (!(c instanceof SVGElement) && getComputedStyle(c).display !== 'inline')));
    const boxes = beside.map(c => c.getBoundingClientRect());
    for (let i = 0; i < beside.length; i++)
      for (let j = i + 1; j < beside.length && j < i + 40; j++) {
        const a = boxes[i], b = boxes[j];
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
          faults.push(`${name(beside[i])} and ${name(beside[j])} overlap`);
      }
  }
  return faults.slice(0, 5);
}

// Runs in the page. The smallest contrast of a text with what is behind it, as WCAG 2.1 defines it.
function least_contrast() {
  // In sRGB, whatever way the browser writes a color: a pixel of it.
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const channels = colors => {
    pixel.clearRect(0, 0, 1, 1);
    for (const color of colors) { pixel.fillStyle = color; pixel.fillRect(0, 0, 1, 1); }
    return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = rgb => {
    const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let least = {contrast: 21};
  const known = new Map();
  for (const e of document.body.querySelectorAll('*')) {
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (!own || e instanceof SVGElement || !e.getClientRects().length || /^(SCRIPT|STYLE)$/.test(e.tagName)) continue;
    const behind = [];
    for (let up = e; up; up = up.parentElement) behind.unshift(getComputedStyle(up).backgroundColor);
    const key = behind.join() + getComputedStyle(e).color;
    if (!known.has(key)) {
      const a = light(channels(behind)), b = light(channels([...behind, getComputedStyle(e).color]));
      known.set(key, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
    }
    if (known.get(key) < least.contrast) least = {contrast: known.get(key), what: `<${e.tagName.toLowerCase()}> "${e.textContent.trim().slice(0, 20)}"`};
  }
  return least;
}

export class Test {
  passed = 0;
  failed = 0;

  static async start(folder, pictures) {
    const test = new Test();
    test.folder = folder;
    test.pictures = pictures;
    test.browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
    return test;
  }
  async end() {
    await this.browser.close();
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed > 0 ? 1 : 0;
  }

  check(good, what, why = '') {
    if (good) this.passed++;
    else this.failed++;
    if (!good) console.log(`FAILED: ${what}${why ? ': ' + why : ''}`);
  }
  equal(found, expected, what) {
    this.check(JSON.stringify(found) === JSON.stringify(expected), what, `${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
  }
  near(found, expected, allowed, what) {
    this.check(Math.abs(found - expected) <= allowed, what, `${found} is not ${expected}`);
  }

  // Opens FOLDER/file, without a network. What it complains about on the console, or asks of the network, is a
  // failure: complaints are looked at in close.
  async open(file, settings = {}) {
    const context = await this.browser.newContext({viewport: {width: 1280, height: 900}, offline: true, ...settings});
    const page = await context.newPage();
    page.file = file;
    page.complaints = [];
    page.on('console', m => { if (/error|warning/.test(m.type())) page.complaints.push(m.text()); });
    page.on('pageerror', e => page.complaints.push(String(e)));
    page.on('request', r => { if (r.url() !== pathToFileURL(`${this.folder}/${file}`).href) page.complaints.push(`asks for ${r.url()}`); });
    await page.goto(pathToFileURL(`${this.folder}/${file}`).href);
    return page;
  }
  async close(page) {
    this.equal(page.complaints, [], `${page.file}: no complaint of the browser's`);
    await page.context().close();
  }

  // Light and dark, a desktop and a phone, and paper: nothing is cut or overlaps, text can be read. Pictures of each.
  async looks_good(file, name, prepare = async () => {}) {
    for (const scheme of ['light', 'dark'])
      for (const width of [1280, 360]) {
        const page = await this.open(file, {viewport: {width, height: 800}, colorScheme: scheme, deviceScaleFactor: width < 500 ? 2 : 1});
        await prepare(page);
        this.equal(await page.evaluate(faults_of_layout), [], `${name}: nothing is cut or overlaps, ${scheme}, ${width} pixels wide`);
        const {contrast, what} = await page.evaluate(least_contrast);
        this.check(contrast >= 4.5, `${name}: text can be read, ${scheme}`, `contrast ${contrast.toFixed(2)} of ${what}`);
        await page.screenshot({path: `${this.pictures}/${name}-${scheme}-${width}.png`, fullPage: true});
        await this.close(page);
      }
    const page = await this.open(file, {colorScheme: 'dark', viewport: {width: 700, height: 900}});
    await page.emulateMedia({media: 'print'});
    await prepare(page);
    this.equal(await page.evaluate(faults_of_layout), [], `${name}: nothing is cut or overlaps on paper`);
    this.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)', `${name}: paper is white`);
    await page.screenshot({path: `${this.pictures}/${name}-print.png`, fullPage: true});
    await this.close(page);
  }
}
