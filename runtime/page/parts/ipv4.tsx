import { useId, useState } from 'preact/hooks'
import { staticAddress, type WrongField } from '../rules/ipv4.ts'
import { send } from '../service/client.ts'
import { reread } from '../service/resources.ts'
import type { Interface } from '../types.ts'
import { t } from '../words/index.ts'
import { Outcome } from './action.tsx'
import { useOperation } from './operation.ts'
import { Segments } from './segments.tsx'
import { Submit } from './submit.tsx'

/** Where a port has its IPv4 address from: DHCP, or three fields. */
export function Ipv4({ port }: { readonly port: Interface }) {
  const [stored] = port.IPv4StaticAddresses ?? []
  const [kind, setKind] = useState<'dhcp' | 'static'>(port.DHCPv4?.DHCPEnabled ? 'dhcp' : 'static')
  const [address, setAddress] = useState(stored?.Address ?? '')
  const [mask, setMask] = useState(stored?.SubnetMask ?? '')
  const [gateway, setGateway] = useState(stored?.Gateway ?? '')
  const [wrong, setWrong] = useState<WrongField | undefined>()
  const operation = useOperation()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const entered = kind === 'dhcp' ? undefined : staticAddress(address, mask, gateway)
    setWrong(typeof entered === 'string' ? entered : undefined)
    if (typeof entered === 'string') return
    const body = { DHCPv4: { DHCPEnabled: kind === 'dhcp' }, IPv4StaticAddresses: entered ? [entered] : [] }
    await operation.run(() => send('PATCH', port['@odata.id'], body))
    await reread(port['@odata.id'])
  }
  return (
    <form onSubmit={submit}>
      <Segments
        label={t('ipv4From')}
        choices={[
          ['dhcp', 'DHCP'],
          ['static', t('ipv4Static')]
        ]}
        value={kind}
        onChoose={setKind}
      />
      {kind === 'static' && (
        <>
          <Part label={t('ipv4Address')} value={address} onText={setAddress} isWrong={wrong === 'address'} />
          <Part label={t('ipv4Mask')} value={mask} onText={setMask} isWrong={wrong === 'mask'} />
          <Part label={t('ipv4Gateway')} value={gateway} onText={setGateway} isWrong={wrong === 'gateway'} />
        </>
      )}
      <Submit label={t('ipv4Set')} busy={operation.busy} />
      <Outcome operation={operation} />
    </form>
  )
}

interface PartProps {
  readonly label: string
  readonly value: string
  readonly onText: (text: string) => void
  readonly isWrong: boolean
}

function Part({ label, value, onText, isWrong }: PartProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        autocomplete="off"
        aria-invalid={isWrong}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {isWrong && <small class="problem">{t('ipv4Wrong')}</small>}
    </div>
  )
}
