import type { ComponentChildren } from 'preact'
import { failureIn, type Known } from '../rules/known.ts'
import { refreshAll } from '../service/resources.ts'
import type { Sensor } from '../types.ts'
import { labelOf, locale, t } from '../words/index.ts'
import { Problem } from './problem.tsx'

/** Shows content once its resource is there; until then, that it is loading, why it failed, or that the machine lacks it. */
export function Loaded<T>(props: { readonly from: Known<T>; readonly children: (value: T) => ComponentChildren }) {
  const { from } = props
  const failure = failureIn(from)
  return (
    <>
      {failure !== undefined && (
        <div>
          <Problem failure={failure} />
          <button type="button" onClick={refreshAll}>
            {t('tryAgain')}
          </button>
        </div>
      )}
      {from.state === 'loading' && <progress aria-label={t('loading')} />}
      {from.state === 'absent' && <p class="absent">{t('absent')}</p>}
      {from.state === 'there' && props.children(from.value)}
    </>
  )
}

/**
 * Texts and numbers run in their own direction, wherever they stand: those of the service are English in a page from
 * right to left. Anything else remains as it is.
 */
export const ownDirection = (content: ComponentChildren) =>
  typeof content === 'string' || typeof content === 'number' ? <bdi>{content}</bdi> : content

/** Names and values. Omits names without a value. */
export function Facts({
  of
}: {
  readonly of: readonly (readonly [name: ComponentChildren, value: ComponentChildren])[]
}) {
  const known = of.filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
  return (
    <dl>
      {known.map(([name, value], index) => (
        <div key={index}>
          <dt>{ownDirection(name)}</dt>
          <dd>{ownDirection(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/**
 * A live region: screen readers announce its changes. It is rendered while still empty, since they often do not
 * announce a region that appears together with its text.
 */
export function Status({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="status" role="status">
      {children}
    </div>
  )
}

interface CardProps {
  readonly title: string
  /** Buttons and links beside the title. */
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
}

/** A part of a screen: a group of that name, since its buttons are called like those of others. */
export function Card({ title, tools, children }: CardProps) {
  const head = <h2>{ownDirection(title)}</h2>
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is of fields, and a legend no heading.
    <section class="card" role="group" aria-label={title}>
      {tools ? (
        <header>
          {head}
          <div class="tools">{tools}</div>
        </header>
      ) : (
        head
      )}
      {children}
    </section>
  )
}

const healthKinds: Readonly<Record<string, string>> = { OK: 'good', Warning: 'warn', Critical: 'bad' }

/** A health or a severity: by its word, and by a colour. */
export function Health({ of }: { readonly of: string | null | undefined }) {
  return of ? <span class={`badge dot ${healthKinds[of] ?? ''}`}>{labelOf(of)}</span> : null
}

const powerKinds: Readonly<Record<string, string>> = { On: 'good', PoweringOn: 'warn', PoweringOff: 'warn' }

/** The power state of a system. */
export function PowerState({ of }: { readonly of: string | null | undefined }) {
  return <span class={`badge dot ${powerKinds[of ?? ''] ?? ''}`}>{of ? labelOf(of) : t('stateUnknown')}</span>
}

interface TileProps {
  readonly title: string
  readonly value: number | null | undefined
  readonly unit: string
  /** The last hour as a line. */
  readonly line?: ComponentChildren
  /** The limit or the total of the number. */
  readonly children?: ComponentChildren
}

/** A number of the machine, large. */
export function Tile({ title, value, unit, line, children }: TileProps) {
  return (
    <section class="card tile">
      <h2>{title}</h2>
      <p class="figure">
        {value == null ? '–' : value.toLocaleString(locale.value)} <small>{unit}</small>
      </p>
      <small>{children}</small>
      {line}
    </section>
  )
}

/** Something that is compared letter by letter. */
export function Mono({ children }: { readonly children: ComponentChildren }) {
  return children == null || children === '' ? null : <code>{children}</code>
}

/** Units as people write them; the others are those of the service, which are UCUM's. */
const units: Readonly<Record<string, string>> = { Cel: '°C', 'kW.h': 'kWh' }

/** The unit of a sensor. */
export const unitOf = ({ ReadingUnits: unit }: Pick<Sensor, 'ReadingUnits'>) => units[unit ?? ''] ?? unit ?? ''
