import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { CertificateInput, Validity } from '../parts/certificate.tsx'
import { Popover } from '../parts/popover.tsx'
import { Card, Health, Loaded, Mono } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import type { CertificateFile } from '../rules/certificate.ts'
import { optional, partOf, together, valueIn } from '../rules/known.ts'
import { enforcement } from '../rules/secure-boot.ts'
import { send } from '../service/client.ts'
import { useSystem } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Certificate, Database, Expanded, SecureBoot as SecureBootResource, Signature } from '../types.ts'
import { filled, labelOf, nameOf, t } from '../words/index.ts'

/** A database with its members, as `$expand` shows it. */
interface FullDatabase extends Omit<Database, 'Certificates' | 'Signatures'> {
  readonly Certificates?: Expanded<Certificate>
  readonly Signatures?: Expanded<Signature>
}

/** A text of this screen. */
const s = (name: string, ...args: readonly string[]) => filled(nameOf(['SecureBoot', name]), args)

/** The databases that keys can be enrolled in, each with a text of what that does. */
const editable: ReadonlySet<string> = new Set(['PK', 'KEK', 'db', 'dbx', 'dbt', 'dbr'])

/** Whether firmware starts signed programs only, what is missing for that, and by whose keys. */
export function SecureBoot() {
  const secureBoot = useResource<SecureBootResource>(partOf(useSystem(), ({ SecureBoot }) => SecureBoot?.['@odata.id']))
  const collection = partOf(
    secureBoot,
    ({ SecureBootDatabases: of }) => of && `${of['@odata.id']}?$expand=.($levels=3)`
  )
  const databases = useResource<Expanded<FullDatabase>>(collection)
  const uri = valueIn(collection)
  const again = () => (uri === undefined ? Promise.resolve() : reread(uri))
  return (
    <Loaded from={together(secureBoot, optional(databases))}>
      {([value, databases]) => {
        const all = databases?.Members ?? []
        const own = all.filter(({ Id }) => editable.has(Id))
        return (
          <div class="cards wide">
            <Banner of={value} databases={all} again={again} />
            <Keys of={all} again={again} />
            {own.length > 0 && <OneDatabase of={own} again={again} />}
          </div>
        )
      }}
    </Loaded>
  )
}

interface BannerProps {
  readonly of: SecureBootResource
  readonly databases: readonly FullDatabase[]
  readonly again: () => Promise<void>
}

/** Whether secure boot is enforced, what is missing, and what brings it about: the keys of the factory. */
function Banner({ of, databases, again }: BannerProps) {
  const empty = databases.filter((each) => membersOf(each).length === 0).map(({ Id }) => Id)
  const { isEnforced, missing } = enforcement(of, empty)
  const reset = of.Actions?.['#SecureBoot.ResetKeys']
  const resets = reset?.['ResetKeysType@Redfish.AllowableValues'] ?? []
  const isOn = of.SecureBootEnable === true
  const button = (type: string) => (
    <Action
      key={type}
      label={s(type)}
      kind={type === factoryKeys ? 'primary' : 'danger'}
      question={s(`${type}?`)}
      act={() => send('POST', reset?.target ?? '', { ResetKeysType: type }).finally(again)}
    />
  )
  return (
    <Card
      title={s(isEnforced ? 'enforced' : 'notEnforced')}
      tools={<Health of={isEnforced && missing.length === 0 ? 'OK' : 'Warning'} />}
    >
      <p>{labelOf(of.SecureBootMode)}</p>
      {missing.length > 0 && (
        <ul>
          {missing.map((each) => (
            <li key={each}>{s(`missing/${each}`)}</li>
          ))}
        </ul>
      )}
      <div class="row">
        {resets.filter((each) => each === factoryKeys).map(button)}
        <Action
          label={isOn ? t('disable') : t('enable')}
          question={isOn ? s('disableQuestion') : undefined}
          act={() => send('PATCH', of['@odata.id'], { SecureBootEnable: !isOn })}
        />
        {resets.some((each) => each !== factoryKeys) && (
          <Popover button={t('more')}>{resets.filter((each) => each !== factoryKeys).map(button)}</Popover>
        )}
      </div>
    </Card>
  )
}

const factoryKeys = 'ResetAllKeysToDefault'

/** A certificate or the signature of a program in a database. */
interface Key {
  readonly uri: string
  readonly database: string
  readonly name: string
  readonly certificate?: Certificate
}

const membersOf = ({ Id, Certificates, Signatures }: FullDatabase): readonly Key[] => [
  ...(Certificates?.Members ?? []).map((each) => ({
    uri: each['@odata.id'],
    database: Id,
    name: each.Subject?.DisplayString ?? each.Id,
    certificate: each
  })),
  ...(Signatures?.Members ?? []).map((each) => ({
    uri: each['@odata.id'],
    database: Id,
    name: [labelOf(each.SignatureType), each.SignatureString].filter(Boolean).join(' ')
  }))
]

interface KeysProps {
  readonly of: readonly FullDatabase[]
  readonly again: () => Promise<void>
}

/** The keys of all databases in one table. */
function Keys({ of, again }: KeysProps) {
  return (
    <Card title={s('keys')}>
      <Table
        caption={s('keys')}
        tools
        columns={[
          { head: s('database'), value: ({ database }) => database },
          {
            head: t('subject'),
            value: ({ name, certificate }) => [name, certificate?.Fingerprint].filter(Boolean).join(' '),
            cell: ({ name, certificate }) => (
              <div class="long">
                <bdi>{name}</bdi>
                <br />
                <small>
                  <Mono>{certificate?.Fingerprint}</Mono>
                </small>
              </div>
            )
          },
          { head: t('issuer'), value: ({ certificate }) => certificate?.Issuer?.DisplayString },
          {
            head: t('valid'),
            cell: ({ certificate: of }) => of && <Validity from={of.ValidNotBefore} to={of.ValidNotAfter} />
          },
          {
            head: t('delete'),
            cell: ({ database, uri, name }) =>
              editable.has(database) && (
                <Action
                  label={t('delete')}
                  of={`${database}, ${name}`}
                  kind="danger"
                  question={t('deleteQuestion', name)}
                  act={() => send('DELETE', uri).finally(again)}
                />
              )
          }
        ]}
        rows={of.flatMap(membersOf)}
        keyOf={({ uri }) => uri}
        empty={s('noKeys')}
      />
    </Card>
  )
}

/** Enrols certificates in a database, and resets it. */
function OneDatabase({ of, again }: KeysProps) {
  const [chosen, choose] = useState('db')
  const [read, setRead] = useState<CertificateFile | undefined>()
  const [round, setRound] = useState(0)
  const database = of.find(({ Id }) => Id === chosen) ?? of[0]!
  const { Id, Certificates, Actions } = database
  const reset = Actions?.['#SecureBootDatabase.ResetKeys']
  const enrol = async () => {
    await send('POST', Certificates?.['@odata.id'] ?? '', { CertificateString: read?.pem, CertificateType: 'PEM' })
    setRead(undefined)
    setRound(round + 1)
    await again()
  }
  return (
    <Card title={s('oneDatabase')}>
      <label>
        {s('database')}
        <select value={Id} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {of.map((each) => (
            <option key={each.Id} value={each.Id}>
              {`${each.Id}: ${each.Name}`}
            </option>
          ))}
        </select>
      </label>
      <p>{s(`effect/${Id}`)}</p>
      <CertificateInput key={round} onRead={setRead} />
      <div class="row">
        <Action label={t('enrol')} kind="primary" whyNot={read === undefined ? t('noFile') : undefined} act={enrol} />
        {reset?.['ResetKeysType@Redfish.AllowableValues']?.map((each) => (
          <Action
            key={each}
            label={s(each)}
            of={Id}
            kind="danger"
            question={s('databaseQuestion', s(each), Id)}
            act={() => send('POST', reset.target, { ResetKeysType: each }).finally(again)}
          />
        ))}
      </div>
    </Card>
  )
}
