import { Action } from '../parts/action.tsx'
import { Field, FormFields, useForm } from '../parts/form.tsx'
import { Card, Facts, Health, Loaded } from '../parts/show.tsx'
import { Time } from '../parts/time.tsx'
import { send } from '../service/client.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Expanded, License as LicenseResource } from '../types.ts'
import { t } from '../words/index.ts'

const collection = '/redfish/v1/LicenseService/Licenses/'
const all = `${collection}?$expand=.`

/** The licenses of the controller. */
export function License() {
  return (
    <Loaded from={useResource<Expanded<LicenseResource>>(all)}>
      {({ Members }) => (
        <div class="cards">
          <Card title={t('installed')}>
            {Members.length === 0 && <p class="absent">{t('noLicense')}</p>}
            {Members.map((each) => (
              <Installed key={each.Id} license={each} />
            ))}
          </Card>
          <Install />
        </div>
      )}
    </Loaded>
  )
}

function Installed({ license }: { readonly license: LicenseResource }) {
  return (
    <>
      <Facts
        of={[
          [t('name'), license.SKU],
          [t('health'), license.Status?.Health && <Health key="health" of={license.Status.Health} />],
          [t('licenseId'), license.EntitlementId],
          [t('installedAt'), license.InstallDate && <Time key="installed" of={license.InstallDate} />],
          [t('validUntil'), license.ExpirationDate ? <Time key="until" of={license.ExpirationDate} /> : t('forEver')]
        ]}
      />
      <Action
        label={t('delete')}
        kind="danger"
        question={t('deleteQuestion', license.SKU ?? t('license'))}
        act={() => send('DELETE', license['@odata.id']).finally(() => reread(all))}
      />
    </>
  )
}

function Install() {
  const form = useForm({
    uri: collection,
    method: 'POST',
    stored: { key: '' },
    properties: { key: 'LicenseString' },
    shownBy: all,
    check: ({ key }) => (key.trim() === '' ? { key: t('licenseKeyMissing') } : {}),
    body: ({ key }) => ({ LicenseString: key.trim() })
  })
  return (
    <Card title={t('installLicense')}>
      <FormFields form={form} label={t('install')}>
        <Field form={form} name="key" label={t('licenseKey')} />
      </FormFields>
    </Card>
  )
}
