import { type Field, fieldsOf, type SchemaFile } from '../rules/forms.ts'
import { type Known, valueIn } from '../rules/known.ts'
import { type Shown, send } from '../service/client.ts'
import { contentAt } from '../service/files.ts'
import { reread } from '../service/resources.ts'
import { t } from '../words/index.ts'
import { Outcome } from './action.tsx'
import { Fields } from './fields.tsx'
import { useOperation } from './operation.ts'

/** Where the published schemas are. */
const schemaStore = '/redfish/v1/SchemaStore/en/'

/** The schema of a resource, from the link that comes with it, and a way to those that it refers to. */
export function schemaOf(headers: Headers | undefined) {
  const described = /<([^>]+)>;\s*rel=describedby/.exec(headers?.get('Link') ?? '')?.[1]
  return {
    file: contentAt<SchemaFile>(described),
    files: (name: string) => contentAt<SchemaFile>(`${schemaStore}${name}`)
  }
}

interface Props {
  readonly uri: string
  readonly from: Known<object>
  /** Which of its fields are shown; absent: all. */
  readonly which?: (field: Field) => boolean
  /** Whether it is the user's own, which every role may change. */
  readonly own?: boolean
}

/** A form for what clients may write of a resource, made from its schema. */
export function Editable({ uri, from, which = () => true, own = false }: Props) {
  const operation = useOperation()
  const { file, files } = schemaOf(from.state === 'there' ? from.headers : undefined)
  const value = valueIn(from) as Shown | undefined
  const fields = value === undefined ? [] : fieldsOf(value, file, files).filter(which)
  if (fields.length === 0) return null
  return (
    <>
      <Fields
        fields={fields}
        label={t('save')}
        busy={operation.busy}
        own={own}
        onSend={async (sent) => {
          const isStored = await operation.run(() => send('PATCH', uri, sent))
          await reread(uri)
          return isStored
        }}
      />
      {operation.done && (
        <p class="note" role="status">
          {t('saved')}
        </p>
      )}
      <Outcome operation={operation} />
    </>
  )
}
