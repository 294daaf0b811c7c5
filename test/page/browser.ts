import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core'
import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { password, type Server } from '#test/host/server.ts'

/** Debian's browsers, the smaller one first. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const program = programs.find((each) => existsSync(each))

/** How to get a browser where none is here. */
export const missing = program === undefined ? 'no browser: install chromium-headless-shell' : undefined

/** A browser for as long as the tests of a file run, in a process of its own. */
export async function openBrowser(t: { teardown(end: () => unknown): void }): Promise<Browser> {
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

/** Someone who looks at the page, with mouse and keyboard. Each step waits for what it needs. */
export class Visitor {
  readonly page: Page
  /** What went wrong in the page: exceptions, and what its policy forbids. */
  readonly faults: string[] = []

  constructor(page: Page) {
    this.page = page
    page.setDefaultTimeout(10_000)
    page.on('pageerror', (error) => this.faults.push(String(error)))
    page.on('console', (message) => {
      // That an answer is a failure is shown in the page; that its policy was broken is not.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.faults.push(message.text())
      }
    })
  }

  static async open(
    t: { teardown(end: () => unknown): void },
    browser: Browser,
    server: Server,
    place = ''
  ): Promise<Visitor> {
    const context = await browser.createBrowserContext()
    t.teardown(() => context.close())
    const visitor = new Visitor(await context.newPage())
    await visitor.page.setViewport({ width: 1100, height: 760 })
    await visitor.page.goto(`https://127.0.0.1:${server.port}/${place}`)
    return visitor
  }

  /** Opens the page and logs in. */
  static async loggedIn(
    t: { teardown(end: () => unknown): void },
    browser: Browser,
    server: Server,
    place = ''
  ): Promise<Visitor> {
    const visitor = await Visitor.open(t, browser, server, place)
    await visitor.logIn()
    await visitor.sees('live')
    return visitor
  }

  async logIn(secret = password, user = 'admin'): Promise<void> {
    await this.fill('User name', user)
    await this.fill('Password', secret)
    await this.press('Log in')
  }

  /** Presses the button of a name. */
  async press(name: string): Promise<void> {
    await this.#named('button', name).click()
  }

  /** Follows a link, and waits until all that it shows is there: nothing moves under the mouse any more. */
  async follow(name: string): Promise<void> {
    await this.#named('link', name).click()
    await this.settled()
  }

  /** Waits until the page asks for nothing but its event stream. */
  async settled(): Promise<void> {
    await this.page.waitForNetworkIdle({ idleTime: 150, concurrency: 1 })
  }

  /** Presses the button of a name in the part of a screen that has this title. */
  async pressIn(title: string, name: string): Promise<void> {
    await this.page.locator(`${partOf(title)} ::-p-aria([name=${JSON.stringify(name)}][role="button"])`).click()
  }

  /** Goes on at the question that is asked. */
  async agree(name: string): Promise<void> {
    await this.page.locator(`dialog ::-p-aria([name=${JSON.stringify(name)}][role="button"])`).click()
  }

  /** Gives a file to the input of files in a part of a screen. */
  async give(title: string, path: string): Promise<void> {
    const input = await this.page.waitForSelector(`${partOf(title)} input[type=file]`)
    await (input as ElementHandle<never>).uploadFile(path)
  }

  async fill(label: string, text: string): Promise<void> {
    await this.#labelled(label).fill(text)
  }

  /** Waits until the page shows a text. */
  async sees(text: string): Promise<void> {
    await this.page.waitForFunction(
      (wanted) => (globalThis as unknown as Sight).document.body.innerText.includes(wanted),
      {},
      text
    )
  }

  /** Waits until the page does not show a text any more. */
  async misses(text: string): Promise<void> {
    await this.page.waitForFunction(
      (wanted) => !(globalThis as unknown as Sight).document.body.innerText.includes(wanted),
      {},
      text
    )
  }

  text(): Promise<string> {
    return this.page.evaluate('document.body.innerText') as Promise<string>
  }

  /** Presses keys, one after the other: `Tab`, `Enter`, or a character. */
  async keys(...names: readonly string[]): Promise<void> {
    for (const each of names) await this.page.keyboard.press(each as 'Tab')
  }

  /** Presses Tab until the element of a name has the focus. */
  async tabTo(name: string): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      if ((await this.page.evaluate(focused)) === name) return
      await this.keys('Tab')
    }
    throw new Error(`the keyboard does not reach ${name}`)
  }

  #named(role: string, name: string) {
    return this.page.locator(`::-p-aria([name=${JSON.stringify(name)}][role="${role}"])`)
  }

  #labelled(label: string) {
    return this.page.locator(`::-p-aria([name=${JSON.stringify(label)}])`)
  }
}

/** What tests look at in a page; the types of browsers are not those of this process. */
interface Sight {
  readonly document: { readonly body: { readonly innerText: string } }
}

/** The part of a screen whose title begins so. */
export const partOf = (title: string) => `::-p-xpath(//section[h2[starts-with(normalize-space(), "${title}")]])`

/** The accessible name of what has the focus, as far as tests go by it. */
const focused = `(() => {
  const { activeElement: element } = document
  return element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText.trim() ?? element.innerText?.trim()
})()`

/** Runs tests with a browser; where there is none they are left out, with how to get one. */
export function withBrowser(name: string, run: (t: Test, browser: Browser) => Promise<void>): void {
  t.setTimeout(120_000)
  needing(name, missing, async (t) => run(t, await openBrowser(t)))
}
