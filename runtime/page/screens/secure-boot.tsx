import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { CertificateFacts, CertificateInput } from '../parts/certificate.tsx'
import { Card, Facts, Loaded } from '../parts/show.tsx'
import type { CertificateFile } from '../rules/certificate.ts'
import { partOf, valueIn } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { useSystem } from '../service/machine.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Certificate, Database, Expanded, SecureBoot as SecureBootResource, Signature } from '../types.ts'
import { labelOf, t, type Word } from '../words/index.ts'

/** A database with its members, as `$expand` shows it. */
interface FullDatabase extends Omit<Database, 'Certificates' | 'Signatures'> {
  readonly Certificates?: Expanded<Certificate>
  readonly Signatures?: Expanded<Signature>
}

/** Whether firmware starts signed programs only, and by whose keys. */
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
    <Loaded from={secureBoot}>
      {(value) => (
        <div class="cards">
          <Mode of={value} again={again} />
          <Loaded from={databases}>
            {({ Members }) => Members.map((each) => <DatabaseCard key={each.Id} database={each} again={again} />)}
          </Loaded>
        </div>
      )}
    </Loaded>
  )
}

function Mode({ of, again }: { readonly of: SecureBootResource; readonly again: () => Promise<void> }) {
  const reset = of.Actions?.['#SecureBoot.ResetKeys']
  const isOn = of.SecureBootEnable === true
  return (
    <Card title={t('mode')}>
      <Facts
        of={[
          [t('mode'), labelOf(of.SecureBootMode)],
          [t('thisBoot'), labelOf(of.SecureBootCurrentBoot)],
          [t('fromNextBoot'), isOn ? t('enabled') : t('disabled')]
        ]}
      />
      <div class="row">
        <Action
          label={isOn ? t('disable') : t('enable')}
          kind={isOn ? 'danger' : 'primary'}
          question={isOn ? t('disableQuestion') : undefined}
          act={() => send('PATCH', of['@odata.id'], { SecureBootEnable: !isOn })}
        />
        {reset?.['ResetKeysType@Redfish.AllowableValues']?.map((each) => (
          <Action
            key={each}
            label={t(each as Word)}
            kind="danger"
            question={t(`${each}?` as Word)}
            act={() => send('POST', reset.target, { ResetKeysType: each }).finally(again)}
          />
        ))}
      </div>
    </Card>
  )
}

/** Says how a certificate in a database changes which programs start. */
const effects: Readonly<Record<string, Word>> = {
  PK: 'effectPK',
  KEK: 'effectKEK',
  db: 'effectDb',
  dbx: 'effectDbx',
  dbt: 'effectDbt',
  dbr: 'effectDbr'
}

function DatabaseCard({ database, again }: { readonly database: FullDatabase; readonly again: () => Promise<void> }) {
  const { Id, Name, Certificates, Signatures, Actions } = database
  const certificates = Certificates?.Members ?? []
  const signatures = Signatures?.Members ?? []
  const effect = effects[Id]
  const reset = effect === undefined ? undefined : Actions?.['#SecureBootDatabase.ResetKeys']
  return (
    <Card title={`${Id}: ${Name}`}>
      {certificates.length + signatures.length === 0 && <p>{t('empty')}</p>}
      {certificates.map((each) => (
        <div key={each.Id} class="member">
          <CertificateFacts of={each} />
          {effect !== undefined && (
            <Delete uri={each['@odata.id']} name={each.Subject?.DisplayString ?? each.Id} again={again} />
          )}
        </div>
      ))}
      {signatures.map((each) => (
        <div key={each.Id} class="member">
          <Facts
            of={[
              [t('signature'), each.SignatureString],
              [t('type'), labelOf(each.SignatureType)]
            ]}
          />
          {effect !== undefined && (
            <Delete uri={each['@odata.id']} name={each.SignatureString ?? each.Id} again={again} />
          )}
        </div>
      ))}
      {effect !== undefined && <Enrol uri={Certificates?.['@odata.id'] ?? ''} effect={t(effect)} again={again} />}
      <div class="row">
        {reset?.['ResetKeysType@Redfish.AllowableValues']?.map((each) => (
          <Action
            key={each}
            label={t(each as Word)}
            kind="danger"
            question={t('databaseQuestion', t(each as Word), Id)}
            act={() => send('POST', reset.target, { ResetKeysType: each }).finally(again)}
          />
        ))}
      </div>
    </Card>
  )
}

interface DeleteProps {
  readonly uri: string
  readonly name: string
  readonly again: () => Promise<void>
}

function Delete({ uri, name, again }: DeleteProps) {
  return (
    <Action
      label={t('delete')}
      kind="danger"
      question={t('deleteQuestion', name)}
      act={() => send('DELETE', uri).finally(again)}
    />
  )
}

function Enrol({
  uri,
  effect,
  again
}: {
  readonly uri: string
  readonly effect: string
  readonly again: () => Promise<void>
}) {
  const [read, setRead] = useState<CertificateFile | undefined>()
  const [round, setRound] = useState(0)
  const enrol = async () => {
    await send('POST', uri, { CertificateString: read?.pem, CertificateType: 'PEM' })
    setRead(undefined)
    setRound(round + 1)
    await again()
  }
  return (
    <details>
      <summary>{t('enrol')}</summary>
      <p>{effect}</p>
      <CertificateInput key={round} onRead={setRead} />
      <Action label={t('enrol')} kind="primary" whyNot={read === undefined ? t('noFile') : undefined} act={enrol} />
    </details>
  )
}
