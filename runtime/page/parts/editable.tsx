import type { ComponentChildren } from 'preact'
import { type Field, fieldsOf, type SchemaFile } from '../rules/forms.ts'
import { type Known, valueIn } from '../rules/known.ts'
import { type Shown, send } from '../service/client.ts'
import { contentAt } from '../service/files.ts'
import { reread, useHeaders } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Outcome } from './action.tsx'
import type { Allowed } from './allowed.ts'
import { Fields } from './fields.tsx'
import { useOperation } from './operation.ts'
import { Status } from './show.tsx'

/** Where the published schemas are. */
const schemaStore = '/redfish/v1/SchemaStore/en/'

/** The schema of a resource, from the link that comes with it, and a way to those that it refers to. */
export function schemaOf(headers: Headers | undefined) {
  const described = /<([^>]+)>;\s*rel=describedby/.exec(headers?.get('Link') ?? '')?.[1]
  return {
    described,
    file: contentAt<SchemaFile>(described),
    files: (name: string) => contentAt<SchemaFile>(`${schemaStore}${name}`)
  }
}

interface Props extends Allowed {
  readonly uri: string
  readonly from: Known<object>
  /** Which of its fields are shown; absent: all. */
  readonly which?: (field: Field) => boolean
  /** Draws a card around the form. Neither is shown if nothing can be written. */
  readonly frame?: (form: ComponentChildren) => ComponentChildren
}

/** A form for what clients may write of a resource, made from its schema. */
export function Editable({ uri, from, which = () => true, frame = (form) => form, ...allowed }: Props) {
  const operation = useOperation()
  const { described, file, files } = schemaOf(useHeaders(uri, from))
  const value = valueIn(from) as Shown | undefined
  const fields = value === undefined ? [] : fieldsOf(value, file, files).filter(which)
  const isComing = from.state === 'loading' || (described !== undefined && file === undefined)
  if (fields.length === 0) return <>{isComing && frame(null)}</>
  return (
    <>
      {frame(
        <>
          <Fields
            fields={fields}
            uri={uri}
            failure={operation.failure}
            label={t('save')}
            busy={operation.busy}
            {...allowed}
            onSend={async (sent) => {
              const isStored = await operation.run(() => send('PATCH', uri, sent))
              await reread(uri)
              return isStored
            }}
          />
          <Status>{operation.done && <p class="note">{t('saved')}</p>}</Status>
          <Outcome operation={operation} />
        </>
      )}
    </>
  )
}
