import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import puppeteer, { type Browser, type LaunchOptions } from 'puppeteer-core'
import type { Issued } from '#test/host/authority.ts'
import { directory, type Scope } from '#test/host/server.ts'

const whole = '/usr/bin/chromium'

/** Debian's browsers, the smaller one first. */
const programs = ['/usr/bin/chromium-headless-shell', whole]

const program = programs.find((each) => existsSync(each))

/** How to get a browser where none is here. */
export const missing = program === undefined ? 'no browser: install chromium-headless-shell' : undefined

/** How to get a browser that has certificates: the smaller one has none. */
export const missingCertificates = [whole, '/usr/bin/pk12util'].every((each) => existsSync(each))
  ? undefined
  : 'no browser with certificates: install chromium and libnss3-tools'

/** A browser for as long as the tests of a file run, in a process of its own. */
export function openBrowser(t: Scope): Promise<Browser> {
  return launch(t, { executablePath: program!, headless: 'shell' })
}

/**
 * The same, with certificates of all services trusted from the start: where the user has to accept one, each connection is
 * opened twice.
 */
export function openTrustingBrowser(t: Scope): Promise<Browser> {
  return launch(t, { executablePath: program!, headless: 'shell' }, ['--ignore-certificate-errors'])
}

/** A browser whose user has a certificate, which it presents to every service that asks for one. */
export function openBrowserWith(t: Scope, { cert, key }: Issued): Promise<Browser> {
  const home = directory(t)
  const database = join(home, '.pki/nssdb')
  const profile = join(home, 'profile')
  const file = join(home, 'user.p12')
  for (const each of [database, join(profile, 'Default')]) mkdirSync(each, { recursive: true })
  const pack = ['pkcs12', '-export', '-name', 'user', '-passout', 'pass:', '-out', file]
  execFileSync('openssl', pack, { input: `${key}${cert}` })
  execFileSync('certutil', ['-N', '--empty-password', '-d', `sql:${database}`])
  execFileSync('pk12util', ['-i', file, '-W', '', '-d', `sql:${database}`], { stdio: 'ignore' })
  // The setting of the policy AutoSelectCertificateForUrls; without it, the browser prompts each time.
  const exceptions = { auto_select_certificate: { '*,*': { setting: { filters: [{}] } } } }
  const preferences = { profile: { content_settings: { exceptions } } }
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
  const { XDG_DATA_HOME: _, ...env } = process.env
  return launch(t, { executablePath: whole, userDataDir: profile, env: { ...env, HOME: home } })
}

async function launch(t: Scope, options: LaunchOptions, more: readonly string[] = []): Promise<Browser> {
  const browser = await puppeteer.launch({
    ...options,
    acceptInsecureCerts: true,
    // The machines that build have neither a GPU nor the name spaces of its own sandbox; it sees our service alone.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--lang=en', ...more]
  })
  t.teardown(() => browser.close())
  return browser
}
