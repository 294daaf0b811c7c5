import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { lampOf } from '../parts/commands.ts'
import { download } from '../parts/download.ts'
import { Modal } from '../parts/question.tsx'
import { Card, Facts, Health, Loaded, Mono } from '../parts/show.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { addressOf, place } from '../router.ts'
import { faulty, type Part, worstOf } from '../rules/inventory.ts'
import { type Known, valueIn } from '../rules/known.ts'
import { exported } from '../rules/table.ts'
import { type Group, useInventory } from '../service/inventory.ts'
import { reread } from '../service/resources.ts'
import { t } from '../words/index.ts'

/** The parts of the machine, as a tree of groups; faulty parts are on top. */
export function Inventory() {
  const groups = useInventory().filter(({ parts }) => parts.state !== 'absent')
  const parts = groups.flatMap(({ parts: of }) => valueIn(of) ?? [])
  const chosen = groups.filter(({ word }) => word === place.value.rest)
  const wanted = chosen.length > 0 ? chosen : groups
  // Groups appear from the top down, so that none moves those below it when it is there.
  const late = wanted.findIndex(({ parts: of }) => of.state === 'loading')
  const shown = late < 0 ? wanted : wanted.slice(0, late + 1)
  const [open, setOpen] = useState<string | undefined>()
  const opened = parts.find(({ uri }) => uri === open)
  return (
    <>
      <p class="lead">{t('partsCount', parts.length)}</p>
      <div class="tools">
        <button
          type="button"
          onClick={() => download('inventory.csv', 'text/csv', exported(parts, columnsOf(parts, setOpen)))}
        >
          CSV
        </button>
        <button type="button" onClick={() => print()}>
          {t('print')}
        </button>
      </div>
      <div class="sides">
        <Tree groups={groups} all={parts} />
        <div class="cards wide">
          <Faults parts={faulty(parts)} onOpen={setOpen} />
          {shown.map(({ word, parts: of }) => (
            <Card key={word} title={t(word)}>
              <Loaded from={of as Known<readonly Part[]>}>
                {(rows) => (
                  <Table caption={t(word)} columns={columnsOf(rows, setOpen)} rows={rows} keyOf={({ uri }) => uri} />
                )}
              </Loaded>
            </Card>
          ))}
        </div>
      </div>
      {opened && <Details part={opened} onClose={() => setOpen(undefined)} />}
    </>
  )
}

/** The groups with how many parts they have, and how they are. */
function Tree({ groups, all }: { readonly groups: readonly Group[]; readonly all: readonly Part[] }) {
  const { rest } = place.value
  return (
    <nav aria-label={t('partGroups')}>
      <ul class="levels">
        <li>
          <a href={addressOf('inventory')} aria-current={rest === '' ? 'page' : undefined}>
            {t('allParts')}
          </a>{' '}
          <small>{all.length}</small>
        </li>
        {groups.map(({ word, level, parts }) => {
          const known = valueIn(parts) ?? []
          const worst = worstOf(known)
          return (
            <li key={word} class={`level-${level}`}>
              <a href={addressOf(`inventory/${word}`)} aria-current={rest === word ? 'page' : undefined}>
                {t(word)}
              </a>{' '}
              <small>{known.length}</small> {worst !== 'OK' && <Health of={worst} />}
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

function Faults({ parts, onOpen }: { readonly parts: readonly Part[]; readonly onOpen: (uri: string) => void }) {
  if (parts.length === 0) return null
  return (
    <Card title={t('faults')}>
      <Table caption={t('faults')} columns={columnsOf(parts, onOpen)} rows={parts} keyOf={({ uri }) => uri} />
    </Card>
  )
}

/** The columns that some part has something for. */
function columnsOf(parts: readonly Part[], onOpen: (uri: string) => void): readonly (Column<Part> & Valued)[] {
  const columns: readonly (Column<Part> & Valued)[] = [
    {
      head: t('name'),
      value: ({ name }) => name,
      cell: ({ uri, name }) => (
        <button type="button" class="link" onClick={() => onOpen(uri)}>
          <bdi>{name}</bdi>
        </button>
      )
    },
    {
      head: t('health'),
      value: ({ health }) => health,
      cell: ({ health, lit }) => (
        <>
          <Health of={health} /> {lit && <span class="badge main">{t('lit')}</span>}
        </>
      )
    },
    { head: t('place'), value: ({ place: at }) => at },
    { head: t('details'), value: ({ detail }) => detail },
    { head: t('model'), value: ({ model }) => model },
    { head: t('partNumber'), value: ({ partNumber }) => partNumber },
    { head: t('serial'), value: ({ serial }) => serial, cell: ({ serial }) => <Mono>{serial}</Mono> },
    { head: t('firmware'), value: ({ firmware }) => firmware }
  ]
  return columns.filter(({ value }) => parts.some((part) => value(part)))
}

interface Valued {
  readonly value: (part: Part) => string | undefined
}

/** A part at the side, with its locator lamp. */
function Details({ part, onClose }: { readonly part: Part; readonly onClose: () => void }) {
  const { uri, lit } = part
  const lamp = lit === undefined ? undefined : lampOf(uri, lit)
  return (
    <Modal title={part.name} kind="panel" onClose={onClose}>
      <Facts
        of={[
          [t('health'), <Health key="health" of={part.health} />],
          [t('place'), part.place],
          [t('details'), part.detail],
          [t('model'), part.model],
          [t('partNumber'), part.partNumber],
          [t('serial'), part.serial && <Mono key="serial">{part.serial}</Mono>],
          [t('firmware'), part.firmware]
        ]}
      />
      <div class="row">
        {lamp && <Action {...lamp} act={() => lamp.act().finally(() => reread(uri))} />}
        <a href={addressOf(`explorer${uri}`)}>{t('showInExplorer')}</a>
      </div>
    </Modal>
  )
}
