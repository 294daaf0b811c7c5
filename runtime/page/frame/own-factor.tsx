import { generate } from 'lean-qr'
import { useState } from 'preact/hooks'
import { Action } from '../parts/action.tsx'
import { Field, FormFields, useForm } from '../parts/form.tsx'
import { action, RemoveKey } from '../parts/remove-key.tsx'
import { Loaded } from '../parts/show.tsx'
import { partOf } from '../rules/known.ts'
import { send, session } from '../service/client.ts'
import { useMembers } from '../service/resources.ts'
import type { Account } from '../types.ts'
import { t } from '../words/index.ts'

const accounts = '/redfish/v1/AccountService/Accounts/'

/** A new key, as the service shows it once. */
interface Key {
  readonly SecretKey: string
  readonly Oem?: { readonly Vendor?: { readonly KeyURI?: string } }
}

/** The second factor of the user: whether there is one, a new one, and its removal. */
export function OwnFactor({ onClose }: { readonly onClose: () => void }) {
  const own = partOf(useMembers<Account>({ '@odata.id': accounts }), (all) =>
    all.find(({ UserName }) => UserName === session.value?.user)
  )
  return (
    <Loaded from={own}>
      {(account) => (
        <>
          <p>
            {account.SecretKeySet
              ? t('secondFactorSet', account.Oem?.Vendor?.RecoveryCodesLeft ?? 0)
              : t('secondFactorNone')}
          </p>
          <Enrolment uri={account['@odata.id']} onDone={onClose} />
          {account.SecretKeySet && <RemoveKey uri={account['@odata.id']} />}
        </>
      )}
    </Loaded>
  )
}

/** The steps to a key: it is made, its first code is entered, recovery codes are shown. */
export function Enrolment({ uri, onDone }: { readonly uri: string; readonly onDone: () => void }) {
  const [key, setKey] = useState<Key | undefined>()
  const [codes, setCodes] = useState<readonly string[] | undefined>()
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (key !== undefined) return <FirstCode uri={uri} of={key} onDone={setCodes} />
  const make = async () => setKey((await send<Key>('POST', action(uri, 'GenerateSecretKey'), {})).body)
  return <Action label={t('makeKey')} kind="primary" act={make} />
}

interface FirstCodeProps {
  readonly uri: string
  readonly of: Key
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

function FirstCode({ uri, of, onDone }: FirstCodeProps) {
  const form = useForm({
    uri: action(uri, 'VerifyTimeBasedOneTimePassword'),
    method: 'POST',
    shownBy: uri,
    stored: { code: '' },
    properties: { code: 'TimeBasedOneTimePassword' },
    secrets: ['code'],
    check: ({ code }) => ({ code: code === '' ? t('fieldMissing') : undefined }),
    body: ({ code }) => ({ TimeBasedOneTimePassword: code }),
    onDone: (answer) => {
      const { Oem } = answer as { Oem?: { Vendor?: { RecoveryCodes?: readonly string[] } } }
      onDone(Oem?.Vendor?.RecoveryCodes ?? [])
    }
  })
  return (
    <>
      <p>{t('scanKey')}</p>
      <QrCode text={of.Oem?.Vendor?.KeyURI ?? ''} />
      <p>
        <code>{of.SecretKey.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <FormFields form={form} label={t('save')} own>
        <Field form={form} name="code" label={t('firstCode')} />
      </FormFields>
    </>
  )
}

/** Black on white in dark colours as well, with the margin that cameras look for (ISO/IEC 18004). */
function QrCode({ text }: { readonly text: string }) {
  const code = generate(text)
  const cells = Array.from({ length: code.size ** 2 }, (_, at) => [at % code.size, Math.floor(at / code.size)] as const)
  const path = cells.map(([x, y]) => (code.get(x, y) ? `M${x} ${y}h1v1h-1z` : '')).join('')
  const width = code.size + 8
  return (
    <svg width="220" height="220" viewBox={`-4 -4 ${width} ${width}`} role="img" aria-label={t('qrCode')}>
      <rect x="-4" y="-4" width={width} height={width} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function RecoveryCodes({ codes, onDone }: { readonly codes: readonly string[]; readonly onDone: () => void }) {
  return (
    <>
      <p role="status">{t('recoveryCodesHelp')}</p>
      <ul aria-label={t('recoveryCodes')}>
        {codes.map((each) => (
          <li key={each}>
            <code>{each}</code>
          </li>
        ))}
      </ul>
      <button type="button" class="primary" onClick={onDone}>
        {t('keptCodes')}
      </button>
    </>
  )
}
