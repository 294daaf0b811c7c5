import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ControllerSummary } from '#data/fleet'
import { Problem } from '../parts/problem.tsx'
import { Card, Health, Mono, PowerState, Tile } from '../parts/show.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { anyFault, counted, type FleetFilter, isWanted, noFilter, powerOf, unknown } from '../rules/fleet.ts'
import { failureIn } from '../rules/known.ts'
import { labelOf, locale, t } from '../words/index.ts'
import { controllers, readAgain } from './controllers.ts'
import { OpenAll, Selected } from './selected.tsx'
import { f, nameOfFault } from './words/index.ts'

/** The controllers of the fleet, and what can be done with those that are selected. */
export function Fleet() {
  const known = controllers.value
  const failure = failureIn(known)
  return (
    <>
      {failure !== undefined && (
        <div>
          <Problem failure={failure} />
          <button type="button" onClick={readAgain}>
            {t('tryAgain')}
          </button>
        </div>
      )}
      {known.state === 'loading' && <progress aria-label={t('loading')} />}
      {known.state === 'there' && <Controllers all={known.value} />}
    </>
  )
}

const nothing: ReadonlySet<string> = new Set()

function Controllers({ all }: { readonly all: readonly ControllerSummary[] }) {
  const [filter, setFilter] = useState(noFilter)
  const [selected, setSelected] = useState(nothing)
  const wanted = useMemo(() => all.filter((each) => isWanted(each, filter)), [all, filter])
  return (
    <>
      <Totals all={all} />
      <Card title={f('controllers')}>
        <Filters all={all} filter={filter} onFilter={setFilter} />
        <Selected
          controllers={all.filter(({ number }) => selected.has(String(number)))}
          onSelect={(numbers) => setSelected(new Set(numbers.map(String)))}
        />
        <Table
          caption={f('controllers')}
          columns={columnsOf(all.some(({ kind }) => kind !== undefined))}
          rows={wanted}
          keyOf={keyOf}
          empty={all.length === 0 ? f('empty') : t('nothingFound')}
          tools
          selected={selected}
          onSelect={setSelected}
        />
      </Card>
    </>
  )
}

const keyOf = ({ number }: ControllerSummary) => String(number)

const addressOf = ({ url }: ControllerSummary) => url.replace(/^https:\/\/|\/$/g, '')

/** @param hasRacks whether controllers are in racks */
const columnsOf = (hasRacks: boolean): readonly Column<ControllerSummary>[] => [
  {
    head: t('name'),
    value: ({ name }) => name,
    cell: ({ name, url }) => (
      <a href={url} target="_blank" rel="noreferrer">
        {name}
      </a>
    )
  },
  { head: f('address'), value: addressOf, cell: (each) => <Mono>{addressOf(each)}</Mono> },
  ...(hasRacks ? placeColumns() : []),
  { head: f('state'), value: ({ state }) => f(state), cell: State },
  {
    head: t('health'),
    value: ({ health }) => health && labelOf(health),
    cell: ({ health }) => <OrUnknown>{health && <Health of={health} />}</OrUnknown>
  },
  {
    head: t('power'),
    value: (each) => (each.power === undefined ? undefined : powerName(powerOf(each))),
    cell: (each) => <OrUnknown>{each.power && <Power of={each} />}</OrUnknown>
  },
  { head: t('version'), value: ({ version }) => version, cell: ({ version }) => <OrUnknown>{version}</OrUnknown> },
  {
    head: f('faults'),
    value: ({ faults }) => faults.map(nameOfFault).join(', '),
    cell: ({ faults }) => (
      <ul class="badges">
        {faults.map((each) => (
          <li key={each} class="badge warn">
            {nameOfFault(each)}
          </li>
        ))}
      </ul>
    )
  }
]

const placeColumns = (): readonly Column<ControllerSummary>[] => [
  { head: f('kind'), value: ({ kind }) => kind && f(kind), cell: ({ kind }) => kind && f(kind) },
  { head: f('rack'), value: ({ rack }) => rack, cell: ({ rack }) => rack }
]

function OrUnknown({ children }: { readonly children: ComponentChildren }) {
  return <span title={children ? undefined : f('Unknown')}>{children || '–'}</span>
}

function State({ state }: ControllerSummary) {
  const kind = { Open: 'good', Closed: '', Restarting: 'warn', NoPower: 'bad' }[state]
  return <span class={`badge dot ${kind}`}>{f(state)}</span>
}

const powerName = (power: string) => (power === 'Mixed' || power === unknown ? f(power) : labelOf(power))

/** Of several systems that differ, how many are on. */
function Power({ of }: { readonly of: ControllerSummary }) {
  const power = powerOf(of)
  if (power !== 'Mixed') return <PowerState of={power} />
  const all = Object.values(of.power ?? {}).reduce((sum, each) => sum + each, 0)
  return <span class="badge dot warn">{f('mixedOf', String(of.power?.On ?? 0), String(all))}</span>
}

/** How many controllers there are, and how many of them need a look. */
function Totals({ all }: { readonly all: readonly ControllerSummary[] }) {
  const states = counted(all, ({ state }) => [state])
  const healths = counted(all, ({ health = unknown }) => [health])
  const powers = counted(all, ({ power }) => Object.keys(power ?? { [unknown]: 0 }))
  const count = (from: ReadonlyMap<string, number>, value: string) => from.get(value) ?? 0
  const number = (value: number) => value.toLocaleString(locale.value)
  const notKnown = count(healths, unknown)
  return (
    <div class="tiles">
      <Tile title={f('controllers')} value={all.length} unit="">
        {f('openCount', number(count(states, 'Open')))}
      </Tile>
      <Tile title={f('unhealthy')} value={count(healths, 'Warning') + count(healths, 'Critical')} unit="">
        {[
          f('criticalCount', number(count(healths, 'Critical'))),
          ...(notKnown > 0 ? [f('unknownCount', number(notKnown))] : [])
        ].join(' · ')}
      </Tile>
      <Tile title={f('switchedOff')} value={count(powers, 'Off')} unit="">
        {notKnown > 0 && f('unknownCount', number(notKnown))}
      </Tile>
      <Tile title={f('withFaults')} value={all.filter(({ faults }) => faults.length > 0).length} unit="">
        {f('ofAll', number(all.length))}
      </Tile>
      {count(states, 'Closed') > 0 && notKnown > 0 && (
        <OpenAll numbers={all.flatMap(({ number, state, health }) => (state === 'Closed' && !health ? number : []))} />
      )}
    </div>
  )
}

interface FiltersProps {
  readonly all: readonly ControllerSummary[]
  readonly filter: FleetFilter
  readonly onFilter: (filter: FleetFilter) => void
}

/** Choices of what is shown, each with the values that there are. */
function Filters({ all, filter, onFilter }: FiltersProps) {
  const choices = (valuesOf: (each: ControllerSummary) => readonly string[], nameOf: (value: string) => string) =>
    [...counted(all, valuesOf)].map(([value, count]) => [value, `${nameOf(value)} (${count})`] as const)
  const select = (
    member: keyof FleetFilter,
    label: string,
    options: readonly (readonly [value: string, text: string])[]
  ) => (
    <label>
      {label}
      <select
        value={filter[member]}
        onChange={({ currentTarget }) => onFilter({ ...filter, [member]: currentTarget.value })}
      >
        <option value="">{f('all')}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
        {filter[member] !== '' && !options.some(([value]) => value === filter[member]) && (
          <option value={filter[member]}>{nameOfFault(filter[member])} (0)</option>
        )}
      </select>
    </label>
  )
  const isFiltered = Object.values(filter).some((each) => each !== '')
  return (
    <search class="row filters" aria-label={f('filters')}>
      {select(
        'state',
        f('state'),
        choices(
          ({ state }) => [state],
          (value) => f(value as ControllerSummary['state'])
        )
      )}
      {select(
        'health',
        t('health'),
        choices(
          ({ health = unknown }) => [health],
          (value) => (value === unknown ? f(value) : labelOf(value))
        )
      )}
      {select(
        'power',
        t('power'),
        choices(({ power }) => Object.keys(power ?? { [unknown]: 0 }), powerName)
      )}
      {select('fault', f('fault'), [[anyFault, f('anyFault')], ...choices(({ faults }) => faults, nameOfFault)])}
      <button type="button" disabled={!isFiltered} onClick={() => onFilter(noFilter)}>
        {f('clearFilters')}
      </button>
    </search>
  )
}
