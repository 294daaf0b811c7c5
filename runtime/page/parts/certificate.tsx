import { useEffect, useState } from 'preact/hooks'
import { type CertificateFile, certificateIn } from '../rules/certificate.ts'
import type { Certificate } from '../types.ts'
import { t } from '../words/index.ts'
import { Facts } from './show.tsx'
import { Time } from './time.tsx'

/** The fields of a certificate of the service. */
export function CertificateFacts({ of }: { readonly of: Certificate }) {
  return (
    <Facts
      of={[
        [t('subject'), of.Subject?.DisplayString],
        [t('issuer'), of.Issuer?.DisplayString],
        [t('valid'), <Validity key="valid" from={of.ValidNotBefore} to={of.ValidNotAfter} />],
        [t('fingerprint'), of.Fingerprint]
      ]}
    />
  )
}

/** Takes a certificate from a file, and shows what it says before anything is done with it. */
export function CertificateInput({ onRead }: { readonly onRead: (read: CertificateFile | undefined) => void }) {
  const [read, setRead] = useState<CertificateFile | 'none' | undefined>()
  const take = async (file: File | undefined) => {
    let found: CertificateFile | undefined
    try {
      found = file && certificateIn(new Uint8Array(await file.arrayBuffer()))
      setRead(found)
    } catch {
      setRead('none')
    }
    onRead(found)
  }
  return (
    <>
      <label>
        {t('certificateFile')}
        <input
          type="file"
          accept=".pem,.crt,.cer,.der"
          onChange={({ currentTarget }) => void take(currentTarget.files?.[0])}
        />
      </label>
      {read === 'none' && (
        <p class="problem" role="alert">
          {t('noCertificate')}
        </p>
      )}
      {typeof read === 'object' && (
        <Facts
          of={[
            [t('subject'), read.subject],
            [t('issuer'), read.issuer],
            [
              t('valid'),
              <Validity key="valid" from={read.notBefore?.toISOString()} to={read.notAfter?.toISOString()} />
            ],
            [t('fingerprint'), <Fingerprint key="fingerprint" bytes={read.bytes} />]
          ]}
        />
      )}
    </>
  )
}

/** From when to when a certificate is valid. */
export function Validity({
  from,
  to
}: {
  readonly from: string | null | undefined
  readonly to: string | null | undefined
}) {
  return (
    <>
      <Time of={from} /> – <Time of={to} />
    </>
  )
}

function Fingerprint({ bytes }: { readonly bytes: Uint8Array }) {
  const [text, setText] = useState('')
  useEffect(() => {
    void crypto.subtle.digest('SHA-256', new Uint8Array(bytes)).then((digest) => {
      setText([...new Uint8Array(digest)].map((each) => each.toString(16).toUpperCase().padStart(2, '0')).join(':'))
    })
  }, [bytes])
  return <>{text}</>
}
