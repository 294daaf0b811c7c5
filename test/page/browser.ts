import type { Browser, BrowserContext, HTTPRequest, Page } from 'puppeteer-core'
import t, { type Test } from 'tap'
import { sleep } from '#runtime/base/sleep.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { password, type Scope, type Server } from '#test/host/server.ts'
import { missing, openBrowser } from './chromium.ts'
import { missingFirefox, openFirefox } from './firefox.ts'

/** The names of the screens, as their links say them. */
export const screens = [
  'Overview',
  'Sensors',
  'Power',
  'Inventory',
  'BIOS settings',
  'Boot',
  'Secure boot',
  'Console',
  'Media',
  'Log',
  'Tasks',
  'Updates',
  'Accounts',
  'Sessions',
  'Certificates',
  'Network',
  'Time',
  'Notifications',
  'License',
  'Explorer'
]

/** The input device of a visitor. */
export type Hand = 'mouse' | 'keyboard'

/** Someone who looks at the page, and works with mouse or keyboard. Each step waits for what it needs. */
export class Visitor {
  readonly page: Page
  /** The faults of the page: exceptions, and violations of its policy. */
  readonly faults: string[] = []
  /**
   * How many things it has done: a press, a chord of keys, a field that is filled in, a choice, a file that is given.
   * The way there, by mouse or by Tab, is part of each.
   */
  actions = 0
  readonly #hand: Hand
  readonly #asked = new Set<HTTPRequest>()
  #lastTold = 0

  constructor(page: Page, hand: Hand) {
    this.page = page
    this.#hand = hand
    page.setDefaultTimeout(120_000)
    this.#watch(page)
    page.on('pageerror', (error) => this.faults.push(String(error)))
    page.on('console', (message) => {
      // That an answer is a failure, or does not come, is shown in the page; that its policy was broken is not.
      if (message.type() === 'error' && !/^(Failed to load resource|WebSocket connection to)/.test(message.text())) {
        this.faults.push(message.text())
      }
    })
  }

  /** Opens the address that the service prints for browsers. */
  static async open(t: Scope, browser: Browser, server: Server, place = '', hand: Hand = 'mouse'): Promise<Visitor> {
    const context = await browser.createBrowserContext()
    t.teardown(() => context.close())
    const visitor = new Visitor(await newTab(context), hand)
    const line = await server.process.saying(/ in a browser$/)
    await visitor.page.goto(`${/https:\S+/.exec(line)?.[0]}${place}`)
    return visitor
  }

  /** Opens another tab of the same browser. */
  async beside(): Promise<Visitor> {
    const visitor = new Visitor(await newTab(this.page.browserContext()), this.#hand)
    await visitor.page.goto(this.page.url())
    return visitor
  }

  /** Opens the page and logs in. */
  static async loggedIn(t: Scope, browser: Browser, server: Server, place = '', hand?: Hand): Promise<Visitor> {
    const visitor = await Visitor.open(t, browser, server, place, hand)
    await visitor.logIn()
    await visitor.sees('live')
    return visitor
  }

  async logIn(secret = password, user = 'admin'): Promise<void> {
    await this.fill('User name', user)
    await this.fill('Password', secret)
    await this.press('Log in')
  }

  /** Presses the button of a name; `part` is the title of the part of a screen that it is in. */
  async press(name: string, part?: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'keyboard') return this.#enter({ role: 'button', name, part })
    await this.page.locator(`${part === undefined ? '' : partOf(part)} ${named('button', name)}`).click()
  }

  /** Follows a link, and waits until all that it shows is there: nothing moves under the mouse any more. */
  async follow(name: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'keyboard') await this.#enter({ role: 'link', name })
    else await this.page.locator(named('link', name)).click()
    await this.settled()
  }

  /** Waits until the page asks for nothing but its streams. */
  async settled(): Promise<void> {
    const [begun, idleTime, most] = [Date.now(), 150, 60_000]
    this.#lastTold = begun
    while (this.#asked.size > 0 || Date.now() - this.#lastTold < idleTime) {
      if (Date.now() - begun > most) throw new Error(`no answer: ${[...this.#asked].map((each) => each.url())}`)
      await sleep(10)
    }
  }

  /** Takes note of the requests that are under way; a stream is always. */
  #watch(page: Page): void {
    const over = (request: HTTPRequest) => {
      this.#asked.delete(request)
      this.#lastTold = Date.now()
    }
    page.on('request', (request) => {
      if (!/\/EventService\/SSE|\/fleet\/events/.test(request.url())) this.#asked.add(request)
      this.#lastTold = Date.now()
    })
    page.on('domcontentloaded', () => this.#asked.clear())
    page.on('requestfinished', over)
    page.on('requestfailed', over)
  }

  /** Opens what is folded away in a part of a screen. */
  async unfold(name: string, part: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'keyboard') return this.#enter({ role: 'summary', name, part })
    await this.page.locator(`${partOf(part)} ::-p-xpath(.//summary[normalize-space()="${name}"])`).click()
  }

  /** Goes on at the question that is asked. */
  async agree(name: string): Promise<void> {
    this.actions += 1
    await this.page.waitForSelector('dialog:modal')
    if (this.#hand === 'keyboard') return this.#enter({ role: 'button', name })
    await this.page.locator(`dialog ${named('button', name)}`).click()
  }

  /** Gives a file to the input of files in a part of a screen. */
  async give(label: string, part: string | undefined, path: string): Promise<void> {
    this.actions += 1
    const chosen = this.page.waitForFileChooser()
    if (this.#hand === 'keyboard') await this.#enter({ role: 'input', name: label, part })
    else await this.page.locator(`${part === undefined ? '' : partOf(part)} input[type=file]`).click()
    await (await chosen).accept([path])
  }

  /** Drops a file where updates are dropped. */
  async drop(name: string, text: string): Promise<void> {
    this.actions += 1
    await this.page.waitForSelector('.drop')
    await this.page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}))
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('.drop').dispatchEvent(event)
    })()`)
  }

  /** Enters a text. */
  async fill(label: string, text: string, part?: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'mouse') {
      const fields = `${labelled(label, part, 'textbox', 'searchbox', 'spinbutton')}, ${secret(label, part)}`
      return this.page.locator(fields).fill(text)
    }
    await this.#reach({ role: 'input', name: label, part })
    await this.page.keyboard.down('Control')
    await this.#strike('a')
    await this.page.keyboard.up('Control')
    await this.page.keyboard.type(text)
  }

  /** Chooses one of several by what is shown of it. */
  async choose(label: string, text: string, part?: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'mouse') {
      const field = await this.page.waitForSelector(labelled(label, part, 'combobox'))
      const value = await field!.evaluate((select, shown) => {
        return [...(select as unknown as Choice).options].find((each) => each.text === shown)?.value
      }, text)
      return this.page.locator(labelled(label, part, 'combobox')).fill(value!)
    }
    await this.#reach({ role: 'input', name: label, part })
    await this.#strike('Home')
    const chosen = () => this.page.evaluate('document.activeElement.selectedOptions[0].text')
    for (let tries = 0; (await chosen()) !== text; tries += 1) {
      if (tries > 500) throw new Error(`${label} has no ${text}`)
      await this.#strike('ArrowDown')
    }
  }

  /** Switches a box to tick on or off, or chooses one of several. */
  async tick(label: string): Promise<void> {
    this.actions += 1
    if (this.#hand === 'mouse')
      return this.page.locator(labelled(label, undefined, 'checkbox', 'switch', 'radio')).click()
    const chosen = (await this.page.evaluate(chosenBeside, label)) as string | undefined
    await this.#reach({ role: 'input', name: chosen ?? label })
    if (chosen === undefined) return this.#strike(' ')
    // Tab leads to the one that is chosen; the arrow keys choose another.
    for (let at = chosen; at !== label; ) {
      await this.#strike('ArrowRight')
      ;[, at] = (await this.page.evaluate(focused)) as [string, string]
    }
  }

  /** Waits until the page shows a text. @throws with what it shows instead */
  sees(text: string): Promise<void> {
    return this.#until(`document.body.innerText`, (shown) => `${shown}.includes(${JSON.stringify(text)})`)
  }

  /** Waits until the page does not show a text any more. @throws with what it shows */
  misses(text: string): Promise<void> {
    return this.#until(`document.body.innerText`, (shown) => `!${shown}.includes(${JSON.stringify(text)})`)
  }

  /** Waits until the terminal of the console shows a text. @throws with what it shows instead */
  seesInTerminal(text: string): Promise<void> {
    const rows = `document.querySelector('.xterm-rows')?.textContent`
    return this.#until(rows, (shown) => `${shown}?.includes(${JSON.stringify(text)})`)
  }

  async #until(shown: string, condition: (shown: string) => string): Promise<void> {
    try {
      await this.page.waitForFunction(condition(shown))
    } catch (cause) {
      throw new Error(`${condition('the text')} did not come: ${await this.page.evaluate(shown)}`, { cause })
    }
  }

  text(): Promise<string> {
    return this.page.evaluate('document.body.innerText') as Promise<string>
  }

  /** Presses keys, one after the other: `Tab`, `Enter`, or a character. */
  async keys(...names: readonly string[]): Promise<void> {
    this.actions += names.length
    for (const each of names) await this.#strike(each)
  }

  #strike(key: string): Promise<void> {
    return this.page.keyboard.press(key as 'Tab')
  }

  /** Goes back to a link: a terminal keeps Tab to itself. */
  async backTo(name: string): Promise<void> {
    if (this.#hand === 'mouse') return
    await this.page.keyboard.down('Shift')
    await this.#reach({ role: 'link', name })
    await this.page.keyboard.up('Shift')
  }

  /** Presses Enter where the keyboard gets to by Tab. */
  async #enter(wanted: Place): Promise<void> {
    await this.#reach(wanted)
    await this.#strike('Enter')
  }

  /** Presses Tab until an element has the focus, and starts again at the beginning for one that appears late. */
  async #reach({ role, name, part = '' }: Place): Promise<void> {
    for (let tries = 0; tries < 600; tries += 1) {
      const [at, label, title] = (await this.page.evaluate(focused)) as [string, string, string]
      if (at === role && label === name && title.startsWith(part)) return
      await this.page.evaluate(startsAgainAfterTheLast)
      await this.#strike('Tab')
    }
    throw new Error(`the keyboard does not reach ${name}`)
  }
}

/**
 * A tab that is wide enough for navigation and content side by side, in a window of its own: Firefox paints only the tab
 * that is in front.
 */
async function newTab(context: BrowserContext): Promise<Page> {
  const page = await context.newPage({ type: 'window' })
  await page.setViewport({ width: 1100, height: 760 })
  return page
}

/** Something that can have the focus: what it is, its accessible name, and the title of the part that it is in. */
interface Place {
  readonly role: 'button' | 'link' | 'input' | 'summary'
  readonly name: string
  readonly part?: string | undefined
}

const named = (role: string, name: string) => `::-p-aria([name=${JSON.stringify(name)}][role="${role}"])`

const labelled = (label: string, part: string | undefined, ...roles: readonly string[]) =>
  roles.map((role) => `${part === undefined ? '' : partOf(part)} ${named(role, label)}`).join()

/** A field of a password: Firefox gives it no role. */
const secret = (label: string, part = '') =>
  [`ancestor::label[${says(label)}]`, `@id=//label[${says(label)}]/@for`]
    .map((isLabelled) => `${part && partOf(part)} ::-p-xpath(.//input[@type="password"][${isLabelled}])`)
    .join()

const says = (text: string) => `normalize-space()=${JSON.stringify(text)}`

/** The members of a page that tests read; this process has no DOM types. */
interface Choice {
  readonly options: Iterable<{ readonly text: string; readonly value: string }>
}

/** The part of a screen whose title begins so, and that shows some texts. */
export const partOf = (title: string, ...texts: readonly string[]) =>
  `::-p-xpath(//section[(h2|header/h2)[starts-with(normalize-space(), "${title}")]]${texts.map((each) => `[contains(., "${each}")]`).join('')})`

/**
 * After the last element Tab leads to the browser's own buttons. The keys of WebDriver BiDi do not get there, and Firefox
 * takes presses for nothing while its buttons have the focus: this does what comes after them.
 */
const startsAgainAfterTheLast = `(() => {
  const all = (document.querySelector('dialog:modal') ?? document)
    .querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')
  const last = [...all].findLast((each) => !each.disabled && each.checkVisibility())
  if (document.activeElement !== last) return
  last.blur()
  getSelection().collapse(document.body, 0)
})()`

/**
 * The element with the focus: its role, its accessible name as far as tests go by it, and the title of the part that it
 * is in.
 */
const focused = `(() => {
  const { activeElement: element } = document
  const role = { A: 'link', BUTTON: 'button', SUMMARY: 'summary' }[element.tagName] ?? 'input'
  const label = element.labels?.[0]
  // A label around a choice has all that can be chosen in it.
  const own = label?.contains(element) ? label.firstChild.textContent : ''
  const text = own || (label ?? element).innerText
  const name = element.getAttribute('aria-label') ?? text ?? ''
  return [role, name.trim(), element.closest('section.card')?.querySelector('h2')?.innerText ?? '']
})()`

/** Which one is chosen of several choices, one of which has a label; undefined for what is no such choice. */
function chosenBeside(label: string): string | undefined {
  const { document } = globalThis as unknown as Choices
  const inputs = [...document.querySelectorAll('input[type=radio]')]
  const one = inputs.find((each) => each.labels[0]?.innerText === label)
  return one && inputs.find((each) => each.name === one.name && each.checked)?.labels[0]?.innerText
}

interface Choices {
  readonly document: {
    querySelectorAll(selector: string): Iterable<{
      readonly name: string
      readonly checked: boolean
      readonly labels: readonly { readonly innerText: string }[]
    }>
  }
}

/** Runs tests with a browser. Without one they are skipped, with how to get it. */
export function withBrowser(name: string, run: (t: Test, browser: Browser) => Promise<void>): void {
  t.setTimeout(900_000)
  needing(name, missing, async (t) => run(t, await openBrowser(t)))
}

/** Whether all tests of the page are for each browser, which takes ten minutes more. */
export const isForAll = process.env.MINNOW_BROWSERS === 'all'

/**
 * Runs tests with Chromium and the Node.js host, and where all browsers are asked for, with Firefox and the binary: so each
 * browser and each host has its turn.
 */
export function withBrowsers(name: string, run: (t: Test, browser: Browser, host: Host) => Promise<void>): void {
  const [node, x86] = hosts as [Host, Host]
  withBrowser(`${name}, in Chromium`, (t, browser) => run(t, browser, node))
  if (isForAll) withFirefox(`${name}, in Firefox`, (t, browser) => run(t, browser, x86))
}

type Host = (typeof hosts)[number]

/** Runs tests with Firefox. Without it they are skipped, with how to get it. */
export function withFirefox(name: string, run: (t: Test, browser: Browser) => Promise<void>): void {
  needing(name, missingFirefox, async (t) => run(t, await openFirefox(t)))
}
