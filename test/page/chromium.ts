import { existsSync } from 'node:fs'
import puppeteer, { type Browser } from 'puppeteer-core'
import type { Scope } from '#test/host/server.ts'

/** Debian's browsers, the smaller one first. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const program = programs.find((each) => existsSync(each))

/** How to get a browser where none is here. */
export const missing = program === undefined ? 'no browser: install chromium-headless-shell' : undefined

/** A browser for as long as the tests of a file run, in a process of its own. */
export async function openBrowser(t: Scope): Promise<Browser> {
  const browser = await puppeteer.launch({
    executablePath: program!,
    headless: 'shell',
    acceptInsecureCerts: true,
    // The machines that build have neither a GPU nor the name spaces of its own sandbox; it sees our service alone.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--lang=en']
  })
  t.teardown(() => browser.close())
  return browser
}
