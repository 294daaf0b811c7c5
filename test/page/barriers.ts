import axe from 'axe-core'
import type { Visitor } from './browser.ts'

/**
 * The elements that are wider than their place, extend beyond the window, or cover the title of their part. Tables,
 * fields and the console may be wider because they scroll. Elements for screen readers alone do not count, nor does the
 * width of a text that ends in an ellipsis.
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

/** The violations that axe-core finds in the present page, including targets that are too small. */
export async function barriers({ page }: Visitor): Promise<string[]> {
  const options = { rules: { 'target-size': { enabled: true } } }
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`) as Promise<
    string[]
  >
}
