import { localTime, minutesAhead } from '#data/manager'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { tagMoment } from './answer.ts'
import type { ShownTime } from './basis.ts'
import type { CachedAnswer } from './cache.ts'
import { atTime, timePart } from './etag.ts'

/**
 * A text without the times that it shows.
 *
 * @returns undefined if it does not show each of them, or if something else looks like one of them
 */
export function withoutTimes(text: string, times: readonly ShownTime[]): string | undefined {
  let rest = text
  for (const shown of new Set(times.map((time) => time.text))) {
    const parts = rest.split(`"${shown}"`)
    if (parts.length - 1 !== times.filter((time) => time.text === shown).length) return undefined
    rest = parts.join('""')
  }
  return rest
}

/** An answer that shows these times, to be cached. */
export function timedAnswer({ tag, answer }: CachedAnswer, times: readonly ShownTime[]): CachedAnswer {
  const { body = new Uint8Array(), headers } = answer
  const text = utf8Text(body)
  const tags = placesOf(text, timePart(tag))
  const shown = [...new Map(times.map((time) => [time.text, time])).values()].map(({ text: time, offset }) => ({
    offset,
    places: placesOf(text, time)
  }))
  const moments = Int32Array.from([
    ...tags.flatMap((place) => [place, tagMoment]),
    ...shown.flatMap(({ offset, places }) => places.flatMap((place) => [place, minutesAhead(offset)]))
  ])
  const at = (now: Date) => {
    const present = atTime(tag, now)
    const changed = body.slice()
    for (const at of tags) changed.set(utf8(timePart(present)), at)
    for (const { offset, places } of shown) {
      const time = utf8(localTime(now, offset))
      for (const at of places) changed.set(time, at)
    }
    const list = headers.map((each) => (each === tag ? present : each))
    return { tag: present, answer: { ...answer, headers: list, body: changed, moments } }
  }
  return { tag, answer: { ...answer, moments }, at }
}

/** The bytes at which a part of a text begins. */
function placesOf(text: string, part: string): number[] {
  let at = 0
  return text
    .split(part)
    .slice(0, -1)
    .map((before) => {
      at += utf8(before).length
      const place = at
      at += part.length
      return place
    })
}
