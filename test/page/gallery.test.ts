import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import { build } from 'esbuild'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { barriers, cut } from './barriers.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const parts = 'runtime/page/parts'
/** `MINNOW_PICTURES=FOLDER npm test -- test/page/gallery` takes pictures into this folder. */
const folder = process.env.MINNOW_PICTURES

withBrowser('the gallery of the parts of the page', async (t, browser) => {
  const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
  const visitor = await Visitor.open(t, browser, server)
  await visitor.tick('Stay logged in when this tab is reloaded')
  await visitor.logIn()
  await visitor.sees('live')
  const { page } = visitor
  const script = await bundled()
  await page.setRequestInterception(true)
  page.on('request', (request) =>
    /\/main-[^/]*\.js$/.test(request.url())
      ? void request.respond({ contentType: 'text/javascript', body: script })
      : void request.continue()
  )
  await page.setCacheEnabled(false)
  await page.reload()
  await visitor.sees('Parts of the page')
  for (const name of ['Work', 'Fail']) await visitor.press(name)
  await visitor.settled()

  t.test('has every part', async (t) => {
    const files = readdirSync(parts).filter((file) => file.endsWith('.tsx'))
    const shown = await page.$$eval('[data-part]', (all) =>
      all.filter((each) => each.childElementCount > 1).map((each) => each.getAttribute('data-part'))
    )
    t.same(shown.sort(), files.map((file) => parse(file).name).sort())
    const problems = await page.$$eval('.problem', (all) =>
      all.map((each) => each.closest('[data-part]')?.getAttribute('data-part'))
    )
    t.same(new Set(problems), new Set(['action', 'field-problem', 'problem', 'show', 'opened']))
  })

  t.test('shows dialogs, panels, questions, menus and toasts', async (t) => {
    for (const [button, title] of [
      ['Ask', 'Force off'],
      ['Open a dialog', 'A dialog'],
      ['Open a panel', 'A panel']
    ] as const) {
      await visitor.press(button)
      await page.waitForSelector('dialog:modal')
      t.equal(await page.$eval('dialog h2', (each) => each.textContent), title)
      t.same(await barriers(visitor), [])
      await page.keyboard.press('Escape')
      await page.waitForSelector('dialog', { hidden: true })
    }
    await visitor.press('Menu')
    await page.waitForSelector('.popover a')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.popover a', { hidden: true })
    await visitor.press('Say it')
    await visitor.sees('The setting is stored.')
    await visitor.misses('The setting is stored.')
  })

  t.test('a chart says the highest and the lowest value of its line', async (t) => {
    const caption = await page.$eval('[data-part=chart] figcaption', (each) => each.innerText)
    t.match(caption, /highest 76 \S+ at .*, lowest 48 \S+, average/)
  })

  for (const theme of ['light', 'dark'] as const)
    t.test(`keeps to its width and has no barrier in the ${theme} theme`, async (t) => {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }])
      await page.waitForSelector(`[data-theme=${theme}]`)
      for (const width of [1024, 320]) {
        await page.setViewport({ width, height: 640 })
        t.same(await page.evaluate(cut), [], `nothing is cut off at ${width} pixels`)
        t.same(await barriers(visitor), [], `no barrier at ${width} pixels`)
      }
      await page.setViewport({ width: 1024, height: 640 })
      const path = `parts${theme === 'dark' ? '-dark' : ''}.webp` as const
      const picture = await page.screenshot({
        fullPage: true,
        type: 'webp',
        quality: 30,
        ...(folder && { path: join(folder, path) as typeof path })
      })
      t.ok(picture.length > 10_000, 'a picture of it has something on it')
    })

  t.test('has no error', async (t) => t.same(visitor.faults, []))
})

/** The gallery as one script for the browser. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['test/page/gallery/gallery.tsx'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'chrome109',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['node:*'],
    define: { 'process.env.NODE_ENV': '"production"' }
  })
  return outputFiles[0]!.text
}
