import type { Test } from 'tap'
import { samplesOf } from '#runtime/fleet/top.ts'

const sample =
  /^([a-zA-Z_:][\w:]*)(\{[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*"(?:,[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*")*\})? ([+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/

/** Checks a text by the rules of Prometheus' text format 0.0.4, and of histograms. @returns its samples */
export function checkMetrics(t: Test, text: string): ReadonlyMap<string, number> {
  t.ok(text.endsWith('\n'))
  const kinds = new Map<string, string>()
  let family = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (word === 'HELP') {
      t.notOk(kinds.has(name), `${name} is there once`)
      family = name
    } else if (word === 'TYPE') {
      t.equal(name, family)
      t.match(rest, /^(counter|gauge|histogram)$/)
      kinds.set(name, rest)
    } else {
      const [, own = ''] = sample.exec(line) ?? []
      const base = kinds.get(family) === 'histogram' ? own.replace(/_(bucket|sum|count)$/, '') : own
      t.equal(base, family, line)
      if (kinds.get(family) === 'counter') t.match(own, /_total$/)
    }
  }
  const samples = samplesOf(text)
  for (const [bucket] of [...samples].filter(([name]) => name.includes('le="+Inf"'))) {
    const [, name = '', labels = ''] = /^(\w+)_bucket\{(.*)le=/.exec(bucket) ?? []
    const buckets = [...samples].filter(([each]) => each.startsWith(`${name}_bucket{${labels}le`))
    t.strictSame(
      buckets,
      [...buckets].sort(([, one], [, other]) => one - other),
      'buckets sum up'
    )
    t.equal(samples.get(bucket), samples.get(`${name}_count{${labels.replace(/,$/, '')}}`))
  }
  return samples
}
