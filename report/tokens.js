// tokens.js -- what the pages about single tokens do alike.
'use strict';

const $ = id => document.getElementById(id);
const all = (selector, of = document) => [...of.querySelectorAll(selector)];

// A symbol for a screen reader.
const spoken = symbol => ({'\u2423': 'space', '\u21b5': 'new line', '\u21e5': 'tab'})[symbol] || symbol;

// What guesses_print has printed there: symbol, probability, digits to show, whether it did come.
const guesses = of => all('.guess', of).map(
  g => [g.firstChild.textContent, Number(g.lastChild.textContent), 3, g.classList.contains('hit')]);

// The same as a list with bars, and places in the text where they are known.
function fill(list, entries) {
  list.replaceChildren(...entries.map(([symbol, share, digits, hit, place = '']) => {
    const item = document.createElement('li');
    for (const [element, text] of [['b', symbol], ['small', place], ['i', ''], ['em', share.toFixed(digits)]])
      item.appendChild(document.createElement(element)).textContent = text;
    item.style.setProperty('--w', share);
    item.classList.toggle('hit', hit === true);
    return item;
  }));
}

// The character that is nearest in the line above (way -1) or below (1).
function beside(chars, i, way) {
  const line = k => chars[k].offsetTop, away = k => Math.abs(chars[k].offsetLeft - chars[i].offsetLeft);
  const inside = k => k >= 0 && k < chars.length;
  let k = i;
  while (inside(k) && line(k) === line(i)) k += way;
  if (!inside(k)) return i;
  let best = k;
  for (; inside(k) && line(k) === line(best); k += way)
    if (away(k) < away(best)) best = k;
  return best;
}

// Calls show(i) when the pointer or the focus comes to chars[i]; arrow keys go from one to the next.
function walk(text, chars, show, enter = () => {}) {
  text.addEventListener('keydown', event => {
    const i = chars.indexOf(document.activeElement), last = chars.length - 1;
    const to = {ArrowLeft: () => i - 1, ArrowRight: () => i + 1, ArrowUp: () => beside(chars, i, -1),
      ArrowDown: () => beside(chars, i, 1), Home: () => 0, End: () => last}[event.key];
    if (i < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    if (to) chars[Math.max(0, Math.min(last, to()))].focus();
    else if (event.key === 'Enter' || event.key === ' ') enter();
    else return;
    event.preventDefault();
  });
  chars.forEach((c, i) => {
    c.setAttribute('role', 'button');
    c.tabIndex = i === 0 ? 0 : -1;
    c.addEventListener('pointerenter', () => show(i));
    c.addEventListener('focus', () => {
      for (const other of chars) other.tabIndex = other === c ? 0 : -1;
      show(i);
    });
    c.addEventListener('click', () => c.focus());
  });
}
