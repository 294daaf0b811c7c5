import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** How long a screen may take until it is as high as it was, in milliseconds. */
const patience = 10_000

/** How long nothing is scrolled until the place is kept: browsers refuse to keep hundreds of them. */
const stillness = 150

/**
 * Keeps how far an element is scrolled in the history of the browser: a reload and Back show the same place again. A
 * screen is as high as it was only when its resources are there; the place is taken up then, unless the user has
 * scrolled before.
 *
 * @param shown what the element shows: something else begins at its top
 */
export function useScroll(element: RefObject<HTMLElement | null>, shown: string): void {
  useLayoutEffect(() => {
    const main = element.current
    if (main === null) return
    let wanted = topOf(history.state)
    main.scrollTop = wanted ?? 0
    const giveUp = () => {
      wanted = undefined
    }
    const restore = () => {
      if (wanted === undefined) return
      main.scrollTop = wanted
      if (Math.abs(main.scrollTop - wanted) < 1) giveUp()
    }
    let keeping: ReturnType<typeof setTimeout> | undefined
    const keep = () => {
      clearTimeout(keeping)
      if (wanted !== undefined) return
      const at = location.href
      keeping = setTimeout(() => {
        if (location.href === at) history.replaceState({ ...history.state, top: main.scrollTop }, '')
      }, stillness)
    }
    const onHistory = ({ state }: PopStateEvent) => {
      wanted = topOf(state)
      restore()
    }
    const grown = new MutationObserver(restore)
    grown.observe(main, { childList: true, subtree: true })
    const timer = setTimeout(giveUp, patience)
    const hands = ['wheel', 'pointerdown', 'keydown']
    for (const each of hands) addEventListener(each, giveUp)
    main.addEventListener('scroll', keep)
    addEventListener('popstate', onHistory)
    return () => {
      grown.disconnect()
      clearTimeout(timer)
      clearTimeout(keeping)
      for (const each of hands) removeEventListener(each, giveUp)
      main.removeEventListener('scroll', keep)
      removeEventListener('popstate', onHistory)
    }
  }, [shown])
}

function topOf(state: unknown): number | undefined {
  return (state as { readonly top?: number } | null)?.top
}
