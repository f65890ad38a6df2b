// Takes a picture of the page while the demo's crowd is at work, once sentry has found them out:
// node figure.js ARMATURE FILE.png.
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { chromium } = require('../node_modules/playwright-core');

const [armature, file] = process.argv.slice(2);

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'armature-figure-'));
  const service = spawn(armature, ['serve', path.join(folder, 'store'), '--listen', '127.0.0.1:0', '--demo', '--log', 'none']);
  let browser;
  try {
    const url = await new Promise((found, lost) => {
      service.stdout.on('data', (text) => /at (http:\S+)/.test(text) && found(/at (http:\S+)/.exec(text)[1]));
      service.stderr.on('data', (text) => process.stderr.write(text));
      service.on('exit', () => lost(new Error('the service ended')));
    });
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    const page = await browser.newPage({ viewport: { width: 1100, height: 1350 }, colorScheme: 'light' });
    await page.goto(`${url}/#/demo-mail`);
    await page.getByText('The context does not tell everything').waitFor({ timeout: 300000 });
    await page.waitForTimeout(20000); // so that one sees what it does afterwards
    await page.screenshot({ path: file });
  } finally {
    await browser?.close();
    service.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
