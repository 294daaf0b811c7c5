import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormPanel, SwitchField, useForm } from '../parts/form.tsx'
import { Card, Facts, Mono } from '../parts/show.tsx'
import { Time } from '../parts/time.tsx'
import { linesIn } from '../rules/forms.ts'
import { valueIn } from '../rules/known.ts'
import { send } from '../service/client.ts'
import { reread, useResource } from '../service/resources.ts'
import type { Enrollment } from '../types.ts'
import { nameOf, t } from '../words/index.ts'

const uri = '/redfish/v1/CertificateService/CertificateEnrollments/HTTPS/'

/** How the certificate of this page is renewed by ACME. Some machines do not renew it. */
export function Renewal() {
  const of = valueIn(useResource<Enrollment>(uri))
  const [isOpen, setOpen] = useState(false)
  if (of === undefined) return null
  const { LastOperationStatus: status, LastOperationTime: tried } = of.EnrollmentState ?? {}
  const { Actions, LastFailure, NextRenewalTime } = of.Oem?.Vendor ?? {}
  const renew = async () => {
    await send('POST', Actions?.['#VendorCertificateEnrollment.Renew']?.target ?? '', {})
    await reread(uri)
  }
  return (
    <Card
      title={nameOf(['Enrollment'])}
      tools={
        <>
          <Action label={t('edit')} of={nameOf(['Enrollment'])} act={async () => setOpen(true)} />
          <Action
            label={nameOf(['Enrollment', 'Renew'])}
            whyNot={of.ServerURI ? undefined : nameOf(['Enrollment', 'noServer'])}
            act={renew}
          />
        </>
      }
    >
      <Facts
        of={[
          [t('state'), t(of.Enabled ? 'enabled' : 'disabled')],
          [nameOf(['ServerURI']), of.ServerURI && <Mono>{of.ServerURI}</Mono>],
          [nameOf(['CSRParameters', 'AlternativeNames']), of.CSRParameters?.AlternativeNames?.join(', ')],
          [nameOf(['NextRenewalTime']), NextRenewalTime && <Time of={NextRenewalTime} />],
          [nameOf(['EnrollmentState']), tried && <Time of={tried} />],
          [nameOf(['LastOperationStatus']), tried && status && nameOf(['LastOperationStatus', status])],
          [nameOf(['LastFailure']), LastFailure]
        ]}
      />
      {isOpen && <Edit of={of} onClose={() => setOpen(false)} />}
    </Card>
  )
}

/** The settings. The service says of no key what it is: without a new one it stays. */
function Edit({ of, onClose }: { readonly of: Enrollment; readonly onClose: () => void }) {
  const form = useForm({
    uri,
    stored: {
      enabled: String(of.Enabled === true),
      server: of.ServerURI ?? '',
      names: (of.CSRParameters?.AlternativeNames ?? []).join('\n'),
      email: of.ACME?.Email ?? '',
      dns: String(of.ACME?.ChallengeType === 'Dns01'),
      keyId: '',
      key: '',
      days: String(of.RenewBeforeExpiryDays ?? '')
    },
    properties: {
      enabled: 'Enabled',
      server: 'ServerURI',
      names: 'CSRParameters/AlternativeNames',
      email: 'ACME/Email',
      dns: 'ACME/ChallengeType',
      keyId: 'ACME/EABKeyId',
      key: 'ACME/EABKey',
      days: 'RenewBeforeExpiryDays'
    },
    secrets: ['key'],
    body: (_, { enabled, server, names, email, dns, keyId, key, days }) => ({
      ...(enabled !== undefined && { Enabled: enabled === 'true' }),
      ...(server !== undefined && { ServerURI: server.trim() || null }),
      ...(names !== undefined && { CSRParameters: { AlternativeNames: linesIn(names) } }),
      ...(days !== undefined && { RenewBeforeExpiryDays: days.trim() === '' ? null : Number(days) }),
      ACME: {
        ...(email !== undefined && { Email: email.trim() || null }),
        ...(dns !== undefined && { ChallengeType: dns === 'true' ? 'Dns01' : null }),
        ...(keyId !== undefined && { EABKeyId: keyId.trim() }),
        ...(key !== undefined && { EABKey: key.trim() })
      }
    }),
    onDone: onClose
  })
  return (
    <FormPanel form={form} title={nameOf(['Enrollment'])} label={t('save')} onClose={onClose}>
      <SwitchField form={form} name="enabled" label={nameOf(['Enrollment', 'Enabled'])} />
      <Field form={form} name="server" label={nameOf(['ServerURI'])} help={nameOf(['ServerURI', 'help'])} />
      <Field
        form={form}
        name="names"
        kind="lines"
        label={nameOf(['CSRParameters', 'AlternativeNames'])}
        help={nameOf(['CSRParameters', 'AlternativeNames', 'help'])}
      />
      <Field form={form} name="email" label={nameOf(['ACME', 'Email'])} />
      <SwitchField form={form} name="dns" label={nameOf(['ACME', 'ChallengeType'])} />
      <Field
        form={form}
        name="keyId"
        label={nameOf(['ACME', 'EABKeyId'])}
        help={nameOf(['ACME', 'EABKeyId', 'help'])}
      />
      <Field form={form} name="key" label={nameOf(['ACME', 'EABKey'])} />
      <Field form={form} name="days" label={nameOf(['RenewBeforeExpiryDays'])} />
    </FormPanel>
  )
}
