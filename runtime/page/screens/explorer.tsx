import { useState } from 'preact/hooks'
import { Outcome } from '../parts/action.tsx'
import { schemaOf } from '../parts/editable.tsx'
import { Fields } from '../parts/fields.tsx'
import { Field as FormField, FormFields, useForm } from '../parts/form.tsx'
import { useOperation } from '../parts/operation.ts'
import { confirm } from '../parts/question.tsx'
import { Card, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { addressOf, go, place } from '../router.ts'
import { linksIn } from '../rules/concerns.ts'
import { curlOf } from '../rules/curl.ts'
import {
  actionsOf,
  describedIn,
  type Field,
  fieldsOf,
  type OfferedAction,
  type Parameter,
  type Property,
  parametersOf,
  rootOf,
  valuesOf
} from '../rules/forms.ts'
import { isBelow, segmentOf } from '../rules/tree.ts'
import { type Shown, send, session } from '../service/client.ts'
import { contentAt } from '../service/files.ts'
import { reread, useHeaders, useResource } from '../service/resources.ts'
import { t } from '../words/index.ts'

const top = '/redfish/v1/'

/** Any resource: what it is, what can be changed, what it can do. It knows no type; everything comes from the service. */
export function Explorer() {
  const uri = `/${place.value.rest || 'redfish/v1/'}`
  return (
    <div class="sides">
      <nav class="tree" aria-label={t('resources')}>
        <ul>
          <Branch uri={top} shown={uri} />
        </ul>
      </nav>
      <Resource key={uri} uri={uri} />
    </div>
  )
}

const placeOf = (uri: string) => addressOf(`explorer${uri}`)

/** A resource in the tree, with those below it once it is opened. */
function Branch({ uri, shown }: { readonly uri: string; readonly shown: string }) {
  const [isOpen, setOpen] = useState(shown === uri || isBelow(shown, uri))
  const name = segmentOf(uri)
  return (
    <li>
      <button
        type="button"
        class="plain twist"
        aria-expanded={isOpen}
        aria-label={t('open', name)}
        onClick={() => setOpen(!isOpen)}
      />
      <a href={placeOf(uri)} aria-current={uri === shown ? 'page' : undefined}>
        {name}
      </a>
      {isOpen && <Below uri={uri} shown={shown} />}
    </li>
  )
}

function Below({ uri, shown }: { readonly uri: string; readonly shown: string }) {
  const known = useResource(uri)
  if (known.state !== 'there') return <Loaded from={known}>{() => null}</Loaded>
  const { value } = known
  // A link further down stands below one that is on the way there, if there is one.
  const below = [...linksIn(value)].filter((each) => isBelow(each, uri) && !each.includes('#'))
  const next = below.filter((each) => !below.some((other) => isBelow(each, other)))
  return (
    <ul>
      {next.map((each) => (
        <Branch key={each} uri={each} shown={shown} />
      ))}
    </ul>
  )
}

function Resource({ uri }: { readonly uri: string }) {
  const known = useResource<Shown>(uri)
  const headers = useHeaders(uri, known)
  return (
    <div class="cards wide">
      <Card title={decodeURI(uri)}>
        <Curl method="GET" uri={uri} />
        <Loaded from={known}>
          {(value) => (
            <div class="json">
              <Json value={value} />
            </div>
          )}
        </Loaded>
      </Card>
      {known.state === 'there' && <Rest uri={uri} value={known.value} headers={headers} />}
    </div>
  )
}

/** The forms for a resource, and the description of its type. */
function Rest({
  uri,
  value,
  headers
}: {
  readonly uri: string
  readonly value: Shown
  readonly headers: Headers | undefined
}) {
  const { file, files } = schemaOf(headers)
  const allow = headers?.get('Allow') ?? ''
  const fields = fieldsOf(value, file, files)
  return (
    <>
      {fields.length > 0 && allow.includes('PATCH') && <Change uri={uri} fields={fields} />}
      {actionsOf(value, file, files).map((each) => (
        <ActionCard key={each.target} action={each} resource={uri} />
      ))}
      {allow.includes('POST') && <Create uri={uri} />}
      {allow.includes('DELETE') && <Remove uri={uri} />}
      {file !== undefined && <SchemaCard description={rootOf(file, files).description} of={describedIn(file, files)} />}
    </>
  )
}

function Change({ uri, fields }: { readonly uri: string; readonly fields: readonly Field[] }) {
  const operation = useOperation()
  const [body, setBody] = useState<Shown>({})
  return (
    <Card title={t('change')}>
      <Fields
        fields={fields}
        uri={uri}
        failure={operation.failure}
        label={t('sendIt', 'PATCH')}
        busy={operation.busy}
        raw
        onChange={setBody}
        onSend={async (sent) => {
          const isStored = await operation.run(() => send('PATCH', uri, sent))
          await reread(uri)
          return isStored
        }}
      />
      <Curl method="PATCH" uri={uri} body={body} />
      <Outcome operation={operation} />
    </Card>
  )
}

function ActionCard({ action, resource }: { readonly action: OfferedAction; readonly resource: string }) {
  const { name, target, info } = action
  const operation = useOperation()
  const [body, setBody] = useState<Shown>({})
  const described = contentAt<{ readonly Parameters: readonly Parameter[] }>(info)
  const fields = described === undefined ? action.fields : parametersOf(described.Parameters)
  const start = async (sent: Shown) => {
    if (!(await confirm(name, t('sendQuestion', JSON.stringify(sent), target), t('sendIt', 'POST')))) return false
    await operation.run(() => send('POST', target, sent))
    await reread(resource)
    // It may be sent once more.
    return false
  }
  return (
    <Card title={name}>
      <Fields
        fields={fields}
        uri={target}
        failure={operation.failure}
        label={t('sendIt', 'POST')}
        busy={operation.busy}
        raw
        onChange={setBody}
        onSend={start}
      />
      <Curl method="POST" uri={target} body={body} />
      <Outcome operation={operation} />
    </Card>
  )
}

function Create({ uri }: { readonly uri: string }) {
  const form = useForm({
    uri,
    method: 'POST',
    stored: { body: '{}' },
    properties: { body: '' },
    check: ({ body }) => ({ body: bodyIn(body) === undefined ? t('noJson') : undefined }),
    body: ({ body }) => bodyIn(body) ?? {}
  })
  return (
    <Card title={t('create')}>
      <FormFields form={form} label={t('sendIt', 'POST')}>
        <FormField form={form} name="body" label="JSON" kind="lines" rows={4} />
      </FormFields>
    </Card>
  )
}

/** The body that stands in a text; undefined for what is no JSON object. */
function bodyIn(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : undefined
  } catch {
    return undefined
  }
}

function Remove({ uri }: { readonly uri: string }) {
  const operation = useOperation()
  const above = uri.replace(/[^/]+\/?$/, '')
  const remove = async () => {
    if (!(await confirm(t('delete'), t('deleteQuestion', decodeURI(uri)), t('delete')))) return
    if (await operation.run(() => send('DELETE', uri))) go(`explorer${above}`)
  }
  return (
    <Card title={t('delete')}>
      <button type="button" class="danger" aria-busy={operation.busy} onClick={() => void remove()}>
        {t('delete')}
      </button>
      <Outcome operation={operation} />
    </Card>
  )
}

function Curl({ method, uri, body }: { readonly method: string; readonly uri: string; readonly body?: Shown }) {
  const text = curlOf(method, location.origin, uri, session.value?.user ?? '', body)
  const [copied, setCopied] = useState('')
  return (
    <p class="curl">
      <code>{text}</code>
      <button
        type="button"
        class="plain"
        onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}
      >
        {t(copied === text ? 'copied' : 'copy')}
      </button>
    </p>
  )
}

/** A value as it is, with links to walk. */
function Json({ value }: { readonly value: unknown }) {
  if (typeof value !== 'object' || value === null) return <code class={typeof value}>{JSON.stringify(value)}</code>
  const isList = Array.isArray(value)
  return (
    <ul>
      {Object.entries(value).map(([name, inner]) => (
        <li key={name}>
          {!isList && <span class="name">{name}: </span>}
          {isLink(name, inner) ? <a href={placeOf(inner)}>{inner}</a> : <Json value={inner} />}
        </li>
      ))}
    </ul>
  )
}

function isLink(name: string, value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/redfish/') && !value.includes('#') && !name.endsWith('context')
}

interface SchemaProps {
  readonly description: string | undefined
  readonly of: ReadonlyMap<string, Property>
}

function SchemaCard({ description, of }: SchemaProps) {
  return (
    <Card title={t('schema')}>
      {description && <p>{description}</p>}
      <Table
        caption={t('schema')}
        columns={[
          { head: t('name'), value: ([name]) => name },
          { head: t('type'), value: ([, { type }]) => [type ?? []].flat().join(', ') },
          { head: t('access'), value: ([, each]) => (each.readonly === false ? t('writable') : t('readOnly')) },
          {
            head: t('values'),
            value: ([, each]) =>
              valuesOf(each).join(', ') ||
              [each.minimum, each.maximum].filter((bound) => bound !== undefined).join(' – ')
          },
          { head: t('description'), value: ([, { description }]) => description }
        ]}
        rows={[...of]}
        keyOf={([name]) => name}
      />
    </Card>
  )
}
