// sample.js -- what else there was at the character under the pointer or the focus. The tables know it.
for (const sample of all('.sample')) {
  const chars = all('.new', sample), rows = all('tbody tr', sample);
  const symbol = i => rows[i].cells[1].textContent, bits = i => rows[i].cells[2].textContent;
  const show = i => {
    const expected = guesses(rows[i]);
    for (const other of all('.here')) other.classList.remove('here');
    chars[i].classList.add('here');
    $('which').textContent = symbol(i);
    $('bits').textContent = `${bits(i)} bits, probability ${rows[i].cells[3].textContent}`;
    fill($('then'), expected);
    chars[i].setAttribute('aria-label', `${spoken(symbol(i))}, ${bits(i)} bits; expected: `
      + expected.map(([s, p]) => `${spoken(s)} ${p.toFixed(2)}`).join(', '));
  };
  chars.forEach((c, i) => {
    c.dataset.bits = Number(bits(i)).toFixed(1);
    c.setAttribute('aria-label', `${spoken(symbol(i))}, ${bits(i)} bits`);
  });
  walk(sample.querySelector('.text'), chars, show);
  if (chars.length > 0 && !all('.here').length) show(0);
}
