import axe from 'axe-core'
import type { Visitor } from './browser.ts'

/**
 * What is wider than its place, what stands beyond the window, and what covers the title of its part. Tables and fields
 * scroll by themselves, and so does the console; what is for screen readers alone is not seen, and what ends in an
 * ellipsis says so.
 */
export const cut = `(() => {
  const width = document.documentElement.clientWidth
  const isShort = (each) => getComputedStyle(each).textOverflow === 'ellipsis'
  return [...document.querySelectorAll('body *')]
    .filter((each) => !each.closest('.scroll, .console, .skip, .tools legend, svg'))
    .filter((each) => {
      const isField = /^(SELECT|INPUT|TEXTAREA)$/.test(each.tagName)
      const isWider = !isField && !isShort(each) && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1
      const { left, right, top, bottom } = each.getBoundingClientRect()
      const title = each.matches('.tools') ? each.parentElement.querySelector('h2')?.getBoundingClientRect() : undefined
      const covers = title && top < title.bottom && bottom > title.top && left < title.right && right > title.left
      return isWider || left < -1 || right > width + 1 || covers
    })
    .map((each) => each.outerHTML.slice(0, 120))
})()`

/** What axe-core finds in the page as it is, small targets among it. */
export async function barriers({ page }: Visitor): Promise<string[]> {
  const options = { rules: { 'target-size': { enabled: true } } }
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`) as Promise<
    string[]
  >
}
