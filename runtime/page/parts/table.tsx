import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { arranged, exported, nextOrder, type Order, type Value, type Valued } from '../rules/table.ts'
import { t } from '../words/index.ts'
import { download } from './download.ts'
import { ownDirection } from './show.tsx'

/** A column. A cell shows its value where nothing else is given; a column without a value cannot be sorted. */
export interface Column<T> {
  readonly head: string
  readonly value?: (row: T) => Value
  readonly cell?: (row: T) => ComponentChildren
}

interface Props<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** The unique key of a row, e.g. its URI. */
  readonly keyOf: (row: T) => string
  /** Shown in place of the table where there are no rows. */
  readonly empty?: string
  /** Shows a search over the values, and a button for a file of comma-separated values; these stand between them. */
  readonly tools?: ComponentChildren
  /** The search text, if the screen keeps it. */
  readonly words?: string
  readonly onWords?: (words: string) => void
  /** The keys of the rows that are selected. With it each row has a box, and the head one for all that are found. */
  readonly selected?: ReadonlySet<string>
  readonly onSelect?: (keys: ReadonlySet<string>) => void
  /** Rows on one page. */
  readonly page?: number
}

/** A table that is sorted by its heads, searched and turned over in pages. It scrolls by itself if it is too large. */
export function Table<T>({ caption, columns, rows, keyOf, empty, tools, page: size = 50, ...props }: Props<T>) {
  const [typed, setTyped] = useState('')
  const words = props.words ?? typed
  const [order, setOrder] = useState<Order | undefined>()
  const [first, setFirst] = useState(0)
  const valued = columns.filter((each): each is Column<T> & Valued<T> => each.value !== undefined)
  const found = arranged(rows, valued, words, order)
  const start = first < found.length ? first : 0
  const shown = found.slice(start, start + size)
  return (
    <>
      {tools && (
        <div class="row over">
          <input
            type="search"
            aria-label={t('searchIn', caption)}
            placeholder={t('find')}
            value={words}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value)
              props.onWords?.(currentTarget.value)
              setFirst(0)
            }}
          />
          {tools}
          <button type="button" onClick={() => download(`${caption}.csv`, 'text/csv', exported(found, valued))}>
            CSV
          </button>
        </div>
      )}
      {found.length === 0 ? (
        <p class="absent">{rows.length > 0 ? t('nothingFound') : (empty ?? t('nothingFound'))}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too.
        <section class="scroll" aria-label={caption} tabIndex={0}>
          <table>
            <caption>{caption}</caption>
            <thead>
              <tr>
                {props.selected && <SelectAll keys={found.map(keyOf)} {...props} selected={props.selected} />}
                {columns.map((each) => (
                  <Head
                    key={each.head}
                    column={each}
                    order={order}
                    onPress={() => setOrder(nextOrder(order, each.head))}
                  />
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => {
                const key = keyOf(row)
                const isSelected = props.selected?.has(key) ?? false
                return (
                  <tr key={key} class={isSelected ? 'selected' : ''}>
                    {props.selected && (
                      <td>
                        <input
                          type="checkbox"
                          aria-label={t('select', String(columns[0]?.value?.(row) ?? key))}
                          checked={isSelected}
                          onChange={() => props.onSelect?.(toggled(props.selected!, [key], !isSelected))}
                        />
                      </td>
                    )}
                    {columns.map(({ head, value, cell }) => (
                      <td key={head} class={typeof value?.(row) === 'number' && cell === undefined ? 'number' : ''}>
                        {ownDirection(cell === undefined ? value?.(row) : cell(row))}
                      </td>
                    ))}
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
      )}
      {found.length > size && (
        <nav class="row pages" aria-label={t('pagesOf', caption)}>
          <span role="status">{t('rowsOf', start + 1, start + shown.length, found.length)}</span>
          <button type="button" disabled={start === 0} onClick={() => setFirst(Math.max(0, start - size))}>
            {t('previousPage')}
          </button>
          <button type="button" disabled={start + size >= found.length} onClick={() => setFirst(start + size)}>
            {t('nextPage')}
          </button>
        </nav>
      )}
    </>
  )
}

function Head<T>(props: {
  readonly column: Column<T>
  readonly order: Order | undefined
  readonly onPress: () => void
}) {
  const { head, value } = props.column
  if (value === undefined) return <th scope="col">{head}</th>
  const isSorted = props.order?.head === head
  const sort = isSorted ? (props.order?.isDescending ? 'descending' : 'ascending') : undefined
  return (
    <th scope="col" aria-sort={sort}>
      <button type="button" class="sort" onClick={props.onPress}>
        {head}
      </button>
    </th>
  )
}

function SelectAll(props: {
  readonly keys: readonly string[]
  readonly selected: ReadonlySet<string>
  readonly onSelect?: (keys: ReadonlySet<string>) => void
}) {
  const { keys, selected } = props
  const isAll = keys.length > 0 && keys.every((each) => selected.has(each))
  return (
    <th scope="col">
      <input
        type="checkbox"
        aria-label={t('selectAll')}
        checked={isAll}
        onChange={() => props.onSelect?.(toggled(selected, keys, !isAll))}
      />
    </th>
  )
}

function toggled(selected: ReadonlySet<string>, keys: readonly string[], isOn: boolean): ReadonlySet<string> {
  const next = new Set(selected)
  for (const key of keys) isOn ? next.add(key) : next.delete(key)
  return next
}
