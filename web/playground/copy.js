// Text to the clipboard; whether it got there. For the graph page, too, and within the site's site.js.
'use strict';

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // there is none, or not for this page: as pages did before there was a clipboard to ask
    const focused = document.activeElement;
    const area = document.createElement('textarea');
    area.className = 'unseen';
    area.textContent = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    focused?.focus();
    return copied;
  }
}
