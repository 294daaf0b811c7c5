import { existsSync } from 'node:fs'
import puppeteer, { type Browser } from 'puppeteer-core'
import type { Scope } from '#test/host/server.ts'

const program = '/usr/bin/firefox-esr'

/** The package to install if Firefox is missing. */
export const missingFirefox = existsSync(program) ? undefined : 'no second browser: install firefox-esr'

/**
 * A Firefox for as long as the tests of a file run, in a process of its own. It is driven by WebDriver BiDi, which it
 * serves itself: Debian has no geckodriver.
 */
export async function openFirefox(t: Scope): Promise<Browser> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: program,
    acceptInsecureCerts: true,
    headless: true
  })
  t.teardown(() => browser.close())
  return browser
}
