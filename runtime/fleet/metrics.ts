import { utf8 } from '#runtime/base/bytes.ts'
import type { Answering } from '#runtime/listen/server.ts'
import { type Answer, answer, type Messages } from '#runtime/request/answer.ts'
import { type Head, split } from '#runtime/request/head.ts'
import { Refusals } from '#runtime/request/refusals.ts'
import { FaultCounts } from './fault-counts.ts'
import type { Roster } from './roster.ts'
import { bounds, type Statistics } from './statistics.ts'

/** Prometheus' text format, version 0.0.4. */
const type = 'text/plain; version=0.0.4; charset=utf-8'

/** `/metrics` of a fleet, at an address of its own. It needs no login, and contains no secret. */
export class Metrics extends Refusals implements Answering {
  readonly #roster: Roster
  readonly #statistics: Statistics
  readonly #faults: FaultCounts

  constructor(roster: Roster, statistics: Statistics, messages: Messages) {
    super(messages)
    this.#roster = roster
    this.#statistics = statistics
    this.#faults = new FaultCounts(roster)
  }

  begin({ method, target }: Head): Answer {
    if (split(target).path !== '/metrics') return answer(404, [], undefined)
    if (method !== 'GET' && method !== 'HEAD') return answer(405, ['Allow', 'GET, HEAD'], undefined)
    const text = utf8(metricsText(this.#roster, this.#statistics, this.#faults))
    const shown = answer(200, [], text, { type })
    return method === 'HEAD' ? { ...shown, body: undefined } : shown
  }

  async methodUnknown(): Promise<Answer> {
    return answer(405, ['Allow', 'GET, HEAD'], undefined)
  }
}

/** All metrics of a fleet. */
export function metricsText(
  roster: Pick<Roster, 'groups' | 'powerStates'>,
  statistics: Statistics,
  faults: Pick<FaultCounts, 'counts'>
): string {
  const { groups, events } = statistics
  const slowest = statistics.slowest()
  const sizes = [...roster.groups()]
  return [
    family(
      'minnow_controllers',
      'gauge',
      'Controllers of a group.',
      sizes.map(([group, { controllers }]) => [`{group="${group}"}`, controllers])
    ),
    family(
      'minnow_controllers_open',
      'gauge',
      'Controllers of a group that are open at present.',
      sizes.map(([group, { open }]) => [`{group="${group}"}`, open])
    ),
    family(
      'minnow_faults',
      'gauge',
      'Controllers of a group that have a fault.',
      faults.counts().map(({ group, fault, controllers }) => [`{group="${group}",fault="${fault}"}`, controllers])
    ),
    family(
      'minnow_systems',
      'gauge',
      'Systems of open controllers, by their power state.',
      [...roster.powerStates()].map(([state, number]) => [`{power="${state}"}`, number])
    ),
    family(
      'minnow_answers_total',
      'counter',
      'Answers to requests, by group and status.',
      [...groups].flatMap(([group, { statuses }]) =>
        [...statuses].map(([status, number]) => [`{group="${group}",status="${status}"}`, number] as const)
      )
    ),
    family('minnow_events_total', 'counter', 'Events that happened.', [['', events]]),
    family(
      'minnow_answer_seconds',
      'histogram',
      'Time from the head of a request to its answer.',
      [...groups].flatMap(([group, { times, time }]) => histogram(`group="${group}"`, times, time))
    ),
    family('minnow_slowest_answer_seconds', 'gauge', 'The slowest answer of the last ten seconds.', [
      [`{controller="${slowest.controller}"}`, slowest.seconds]
    ])
  ].join('')
}

/** @param times as those of {@link Statistics} */
function histogram(label: string, times: readonly number[], time: number): [string, number][] {
  let sum = 0
  const buckets = [...bounds, '+Inf'].map((bound, index): [string, number] => {
    sum += times[index]!
    return [`_bucket{${label},le="${bound}"}`, sum]
  })
  return [...buckets, [`_sum{${label}}`, time], [`_count{${label}}`, sum]]
}

function family(name: string, kind: string, help: string, samples: readonly (readonly [string, number])[]): string {
  const lines = samples.map(([more, value]) => `${name}${more} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
}
