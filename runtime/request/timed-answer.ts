import { minutesAhead } from '#data/manager'
import { utf8 } from '#runtime/base/bytes.ts'
import { type Answer, tagMoment } from './answer.ts'
import type { ShownTime } from './basis.ts'
import type { CachedAnswer } from './cache.ts'
import { tagAt, tagTime, timePart } from './etag.ts'
import type { Content } from './expand.ts'

/** The part of a time that moves: `2026-11-26T12:00:00.000`. */
const timeLength = 23

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

/** The places of these times and of the time of a tag in a text; see `Answer`. */
export function momentsIn(text: string, tag: string, times: readonly ShownTime[]): Int32Array {
  const moments = placesOf(text, timePart(tag)).flatMap((place) => [place, tagMoment])
  for (const [shown, offset] of new Map(times.map((time) => [time.text, time.offset])))
    for (const place of placesOf(text, shown)) moments.push(place, minutesAhead(offset))
  return Int32Array.from(moments)
}

/** A cached answer as it is now. */
export function presentAnswer(cached: CachedAnswer, now: () => Date): CachedAnswer {
  const { body, moments, headers } = cached.answer
  if (body === undefined || moments === undefined) return cached
  const time = now()
  const tag = tagAt(cached.tag, time)
  const answer: Answer = {
    ...cached.answer,
    headers: headers.map((each) => (each === cached.tag ? tag : each)),
    body: presentBody({ body, moments }, time)
  }
  return { tag, answer }
}

/** The body of an answer as it is at a time. */
export function presentBody({ body, moments }: Content, time: Date): Uint8Array {
  if (moments === undefined) return body
  const shown = body.slice()
  for (let n = 0; n < moments.length; n += 2) {
    const [at = 0, minutes = 0] = moments.subarray(n, n + 2)
    shown.set(utf8(minutes === tagMoment ? tagTime(time) : ahead(time, minutes)), at)
  }
  return shown
}

const ahead = (time: Date, minutes: number) =>
  new Date(time.getTime() + minutes * 60_000).toISOString().slice(0, timeLength)

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
