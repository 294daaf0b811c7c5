import { trialTime } from '#data/ethernet'
import { Field, FormFields, SwitchField, useForm } from '../parts/form.tsx'
import { Segments } from '../parts/segments.tsx'
import { Card, Facts, Loaded } from '../parts/show.tsx'
import { Trial } from '../parts/trial.tsx'
import { maskAfter, staticAddress } from '../rules/ipv4.ts'
import { optional, partOf, together } from '../rules/known.ts'
import { ipv6Address, listIn, pageAt, prefixOf, speedText } from '../rules/network.ts'
import { useKept } from '../service/kept.ts'
import { useManager } from '../service/machine.ts'
import { useMembers, useResource } from '../service/resources.ts'
import type { Interface, NetworkProtocol } from '../types.ts'
import { isolated, labelOf, nameOf, t } from '../words/index.ts'

/** The ports of the controller, its name, and how it is found. */
export function Network() {
  const manager = useManager()
  const collection = partOf(manager, ({ EthernetInterfaces }) => EthernetInterfaces)
  const ports = useMembers<Interface>(collection)
  const protocols = useResource<NetworkProtocol>(partOf(manager, (each) => each.NetworkProtocol?.['@odata.id']))
  return (
    <Loaded from={together(optional(ports), optional(protocols), optional(collection))}>
      {([all = [], protocols, collection]) => (
        <Settings ports={all} shownBy={`${collection?.['@odata.id']}?$expand=.`} protocols={protocols} />
      )}
    </Loaded>
  )
}

interface Props {
  readonly ports: readonly Interface[]
  /** The resource that the ports are read from. */
  readonly shownBy: string
  readonly protocols: NetworkProtocol | undefined
}

function Settings({ ports, shownBy, protocols }: Props) {
  const [chosen, choose] = useKept('port')
  const port = ports.find(({ Id }) => Id === chosen) ?? ports[0]
  return (
    <>
      {port && (
        <p class="lead">
          {[port.Name, labelOf(port.LinkStatus), speedText(port.SpeedMbps), port.MACAddress]
            .flatMap((each) => (each ? isolated(each) : []))
            .join(' · ')}
        </p>
      )}
      {ports.length > 1 && (
        <Segments
          label={t('port')}
          choices={ports.map(({ Id, Name }) => [Id, Name] as const)}
          value={port?.Id ?? ''}
          onChoose={choose}
        />
      )}
      {port && (
        <Trial uri={port['@odata.id']} shownBy={shownBy} seconds={port.Oem?.Vendor?.RollbackTime} goal={goalOf(port)} />
      )}
      {protocols && (
        <Trial
          uri={protocols['@odata.id']}
          seconds={protocols.Oem?.Vendor?.RollbackTime}
          goal={pageAt(location.hostname, String(protocols.HTTPS?.Port ?? ''))}
        />
      )}
      {!port && !protocols && <p class="absent">{t('absent')}</p>}
      <div class={port ? 'cards uneven' : 'cards'}>
        {port && (
          <div>
            {port.DHCPv4 ? <Ipv4 key={port.Id} port={port} shownBy={shownBy} /> : <Addresses of={port} />}
            {port.DHCPv6 && <Ipv6 key={port.Id} port={port} shownBy={shownBy} />}
          </div>
        )}
        <div>
          {protocols && <Name of={protocols} />}
          {protocols && <Protocols of={protocols} />}
          {port?.VLAN && <Link key={port.Id} port={port} shownBy={shownBy} />}
        </div>
      </div>
    </>
  )
}

/** Where the page is after a port has its static address. */
function goalOf({ IPv4StaticAddresses: [first] = [] }: Interface): string | undefined {
  return first?.Address == null ? undefined : pageAt(first.Address, location.port)
}

/** The addresses of a port that cannot be set up here. */
function Addresses({ of }: { readonly of: Interface }) {
  return (
    <Card title={of.Name}>
      <Facts
        of={[
          ['IPv4', of.IPv4Addresses?.map(({ Address }) => Address).join(', ')],
          ['IPv6', of.IPv6Addresses?.map(({ Address }) => Address).join(', ')],
          [nameOf(['FQDN']), of.FQDN]
        ]}
      />
    </Card>
  )
}

interface PortProps {
  readonly port: Interface
  readonly shownBy: string
}

const fromDhcp = ['UseGateway', 'UseDNSServers', 'UseDomainName', 'UseNTPServers'] as const

const isAboutAddress = (changed: object) => ['kind', 'address', 'mask', 'gateway'].some((each) => each in changed)

/** Where a port has its IPv4 address from: DHCP, or three fields. */
function Ipv4({ port, shownBy }: PortProps) {
  const leased = port.IPv4Addresses?.find(({ AddressOrigin }) => AddressOrigin === 'DHCP')
  // A static address is most often the one that the port has.
  const first = port.IPv4StaticAddresses?.[0] ?? leased
  const dhcp = port.DHCPv4
  const form = useForm({
    uri: port['@odata.id'],
    shownBy,
    stored: {
      kind: dhcp?.DHCPEnabled ? 'dhcp' : 'static',
      address: first?.Address ?? '',
      mask: first?.SubnetMask ?? '',
      gateway: first?.Gateway ?? '',
      servers: (port.StaticNameServers ?? []).join(', '),
      UseGateway: String(dhcp?.UseGateway),
      UseDNSServers: String(dhcp?.UseDNSServers),
      UseDomainName: String(dhcp?.UseDomainName),
      UseNTPServers: String(dhcp?.UseNTPServers)
    },
    properties: {
      kind: 'DHCPv4/DHCPEnabled',
      address: 'IPv4StaticAddresses/0/Address',
      mask: 'IPv4StaticAddresses/0/SubnetMask',
      gateway: 'IPv4StaticAddresses/0/Gateway',
      servers: 'StaticNameServers',
      UseGateway: 'DHCPv4/UseGateway',
      UseDNSServers: 'DHCPv4/UseDNSServers',
      UseDomainName: 'DHCPv4/UseDomainName',
      UseNTPServers: 'DHCPv4/UseNTPServers'
    },
    check({ kind, address, mask, gateway }, changed) {
      const found = kind === 'dhcp' || !isAboutAddress(changed) ? undefined : staticAddress(address, mask, gateway)
      return typeof found === 'string' ? { [found]: t(found === 'mask' ? 'maskWrong' : 'ipv4Wrong') } : {}
    },
    body({ kind, address, mask, gateway, servers }, changed) {
      const uses = fromDhcp.filter((each) => changed[each] !== undefined)
      const isAbout = isAboutAddress(changed)
      return {
        ...((isAbout || uses.length > 0) && {
          DHCPv4: {
            ...(isAbout && { DHCPEnabled: kind === 'dhcp' }),
            ...Object.fromEntries(uses.map((each) => [each, changed[each] === 'true']))
          }
        }),
        ...(isAbout && { IPv4StaticAddresses: kind === 'dhcp' ? [] : [staticAddress(address, mask, gateway)] }),
        ...('servers' in changed && { StaticNameServers: listIn(servers) })
      }
    }
  })
  const { kind, address } = form.entered
  return (
    <Card title="IPv4">
      <FormFields form={form} label={t('save')}>
        <Segments
          label={t('ipv4From')}
          choices={[
            ['dhcp', t('ipv4Dhcp')],
            ['static', t('ipv4Static')]
          ]}
          value={kind}
          onChoose={(chosen) => form.enter('kind', chosen)}
        />
        {kind === 'dhcp' && (
          <>
            <Facts
              of={[
                [t('address'), leased && `${leased.Address}/${prefixOf(leased.SubnetMask ?? '')}`],
                [t('ipv4Gateway'), leased?.Gateway]
              ]}
            />
            {fromDhcp.map((each) => (
              <SwitchField key={each} form={form} name={each} label={nameOf(['DHCPv4', each])} />
            ))}
          </>
        )}
        <div class="pair">
          {kind === 'static' && (
            <>
              <Field form={form} name="address" label={t('address')} help={t('addressHelp')} />
              <Field form={form} name="mask" label={t('ipv4Mask')} fixed={maskAfter(address)} />
              <Field form={form} name="gateway" label={t('ipv4Gateway')} />
            </>
          )}
          <Field form={form} name="servers" label={nameOf(['StaticNameServers'])} help={t('listHelp')} />
        </div>
        {port.Oem?.Vendor?.RollbackTime !== undefined && <p class="note">{t('trialNote', trialTime)}</p>}
      </FormFields>
    </Card>
  )
}

const fromDhcp6 = ['UseDNSServers', 'UseDomainName', 'UseNTPServers'] as const

/** The IPv6 addresses of a port: from the router, from DHCPv6, and static ones. */
function Ipv6({ port, shownBy }: PortProps) {
  const dhcp = port.DHCPv6
  const form = useForm({
    uri: port['@odata.id'],
    shownBy,
    stored: {
      slaac: String(port.StatelessAddressAutoConfig?.IPv6AutoConfigEnabled),
      dhcp: String(dhcp?.OperatingMode === 'Stateless'),
      UseDNSServers: String(dhcp?.UseDNSServers),
      UseDomainName: String(dhcp?.UseDomainName),
      UseNTPServers: String(dhcp?.UseNTPServers),
      addresses: (port.IPv6StaticAddresses ?? []).map((each) => `${each.Address}/${each.PrefixLength}`).join('\n'),
      gateway: port.IPv6StaticDefaultGateways?.[0]?.Address ?? ''
    },
    properties: {
      slaac: 'StatelessAddressAutoConfig/IPv6AutoConfigEnabled',
      dhcp: 'DHCPv6/OperatingMode',
      UseDNSServers: 'DHCPv6/UseDNSServers',
      UseDomainName: 'DHCPv6/UseDomainName',
      UseNTPServers: 'DHCPv6/UseNTPServers',
      addresses: 'IPv6StaticAddresses',
      gateway: 'IPv6StaticDefaultGateways'
    },
    check: ({ addresses }) =>
      listIn(addresses).every((each) => ipv6Address(each) !== undefined) ? {} : { addresses: t('ipv6Wrong') },
    body({ addresses, gateway }, changed) {
      const uses = fromDhcp6.filter((each) => changed[each] !== undefined)
      const { slaac, dhcp } = changed
      return {
        ...(slaac !== undefined && { StatelessAddressAutoConfig: { IPv6AutoConfigEnabled: slaac === 'true' } }),
        ...((dhcp !== undefined || uses.length > 0) && {
          DHCPv6: {
            ...(dhcp !== undefined && { OperatingMode: dhcp === 'true' ? 'Stateless' : 'Disabled' }),
            ...Object.fromEntries(uses.map((each) => [each, changed[each] === 'true']))
          }
        }),
        ...('addresses' in changed && { IPv6StaticAddresses: listIn(addresses).map(ipv6Address) }),
        ...('gateway' in changed && { IPv6StaticDefaultGateways: listIn(gateway).map((Address) => ({ Address })) })
      }
    }
  })
  return (
    <Card title="IPv6">
      <Facts
        of={[[t('addresses'), port.IPv6Addresses?.map((each) => `${each.Address}/${each.PrefixLength}`).join(', ')]]}
      />
      <FormFields form={form} label={t('save')}>
        <SwitchField form={form} name="slaac" label={nameOf(['StatelessAddressAutoConfig', 'IPv6AutoConfigEnabled'])} />
        <SwitchField form={form} name="dhcp" label="DHCPv6" />
        {form.entered.dhcp === 'true' &&
          fromDhcp6.map((each) => <SwitchField key={each} form={form} name={each} label={nameOf(['DHCPv6', each])} />)}
        <div class="pair">
          <Field
            form={form}
            name="addresses"
            kind="lines"
            label={nameOf(['IPv6StaticAddresses'])}
            help={t('ipv6Help')}
          />
          <Field form={form} name="gateway" label={t('ipv4Gateway')} />
        </div>
      </FormFields>
    </Card>
  )
}

/** The controller's name. */
function Name({ of }: { readonly of: NetworkProtocol }) {
  const { HostName: host, FQDN: full } = of
  const form = useForm({
    uri: of['@odata.id'],
    stored: { host: host ?? '', domain: full?.startsWith(`${host}.`) ? full.slice(`${host}.`.length) : '' },
    properties: { host: 'FQDN', domain: '' },
    body: ({ host, domain }) => ({ FQDN: domain.trim() === '' ? host.trim() : `${host.trim()}.${domain.trim()}` })
  })
  const { host: first, domain } = form.entered
  return (
    <Card title={t('name')}>
      <FormFields form={form} label={t('save')}>
        <Field form={form} name="host" label={nameOf(['HostName'])} />
        <Field form={form} name="domain" label={t('domain')} help={domain === '' ? undefined : `${first}.${domain}`} />
      </FormFields>
    </Card>
  )
}

/** The protocols of the controller with their ports. */
function Protocols({ of }: { readonly of: NetworkProtocol }) {
  const { HTTPS: https, SSDP: ssdp } = of
  const mdns = of.Oem?.Vendor?.MulticastDNS
  const form = useForm({
    uri: of['@odata.id'],
    stored: {
      https: String(https?.Port ?? ''),
      ssdp: String(ssdp?.ProtocolEnabled),
      ssdpPort: String(ssdp?.Port ?? ''),
      interval: String(ssdp?.NotifyMulticastIntervalSeconds ?? ''),
      hops: String(ssdp?.NotifyTTL ?? ''),
      mdns: String(mdns?.ProtocolEnabled),
      mdnsPort: String(mdns?.Port ?? '')
    },
    properties: {
      https: 'HTTPS/Port',
      ssdp: 'SSDP/ProtocolEnabled',
      ssdpPort: 'SSDP/Port',
      interval: 'SSDP/NotifyMulticastIntervalSeconds',
      hops: 'SSDP/NotifyTTL',
      mdns: 'Oem/Vendor/MulticastDNS/ProtocolEnabled',
      mdnsPort: 'Oem/Vendor/MulticastDNS/Port'
    },
    check: (_, { https, ssdpPort, mdnsPort }) =>
      Object.fromEntries(
        Object.entries({ https, ssdpPort, mdnsPort }).map(([name, port]) => [name, port && portFault(port)])
      ),
    body(_, { https, ssdp, ssdpPort, interval, hops, mdns, mdnsPort }) {
      const ssdpPart = {
        ...(ssdp !== undefined && { ProtocolEnabled: ssdp === 'true' }),
        ...(ssdpPort !== undefined && { Port: Number(ssdpPort) }),
        ...(interval !== undefined && { NotifyMulticastIntervalSeconds: Number(interval) }),
        ...(hops !== undefined && { NotifyTTL: Number(hops) })
      }
      const mdnsPart = {
        ...(mdns !== undefined && { ProtocolEnabled: mdns === 'true' }),
        ...(mdnsPort !== undefined && { Port: Number(mdnsPort) })
      }
      return {
        ...(https !== undefined && { HTTPS: { Port: Number(https) } }),
        ...(Object.keys(ssdpPart).length > 0 && { SSDP: ssdpPart }),
        ...(Object.keys(mdnsPart).length > 0 && { Oem: { Vendor: { MulticastDNS: mdnsPart } } })
      }
    }
  })
  return (
    <Card title={t('protocols')}>
      <FormFields form={form} label={t('save')}>
        <Field form={form} name="https" kind="number" label={nameOf(['HTTPS', 'Port'])} help={t('httpsPortHelp')} />
        {ssdp && (
          <>
            <SwitchField form={form} name="ssdp" label={nameOf(['SSDP', 'ProtocolEnabled'])} />
            {form.entered.ssdp === 'true' && (
              <div class="pair">
                <Field form={form} name="ssdpPort" kind="number" label={nameOf(['SSDP', 'Port'])} />
                <Field
                  form={form}
                  name="interval"
                  kind="number"
                  label={nameOf(['SSDP', 'NotifyMulticastIntervalSeconds'])}
                />
                <Field form={form} name="hops" kind="number" label={nameOf(['SSDP', 'NotifyTTL'])} />
              </div>
            )}
          </>
        )}
        {mdns && (
          <>
            <SwitchField form={form} name="mdns" label={nameOf(['MulticastDNS', 'ProtocolEnabled'])} />
            {form.entered.mdns === 'true' && (
              <Field form={form} name="mdnsPort" kind="number" label={nameOf(['MulticastDNS', 'Port'])} />
            )}
          </>
        )}
      </FormFields>
    </Card>
  )
}

const portFault = (text: string) =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? undefined : t('portWrong')

/** The link of a port. */
function Link({ port, shownBy }: PortProps) {
  const { VLAN: vlan } = port
  const form = useForm({
    uri: port['@odata.id'],
    shownBy,
    stored: {
      enabled: String(port.InterfaceEnabled),
      mtu: String(port.MTUSize ?? ''),
      vlan: String(vlan?.VLANEnable),
      id: String(vlan?.VLANId ?? ''),
      priority: String(vlan?.VLANPriority ?? '')
    },
    properties: {
      enabled: 'InterfaceEnabled',
      mtu: 'MTUSize',
      vlan: 'VLAN/VLANEnable',
      id: 'VLAN/VLANId',
      priority: 'VLAN/VLANPriority'
    },
    body(_, { enabled, mtu, vlan, id, priority }) {
      const tag = {
        ...(vlan !== undefined && { VLANEnable: vlan === 'true' }),
        ...(id !== undefined && { VLANId: Number(id) }),
        ...(priority !== undefined && { VLANPriority: Number(priority) })
      }
      return {
        ...(enabled !== undefined && { InterfaceEnabled: enabled === 'true' }),
        ...(mtu !== undefined && { MTUSize: Number(mtu) }),
        ...(Object.keys(tag).length > 0 && { VLAN: tag })
      }
    }
  })
  return (
    <Card title={t('port')}>
      <FormFields form={form} label={t('save')}>
        <SwitchField form={form} name="enabled" label={nameOf(['InterfaceEnabled'])} />
        <Field form={form} name="mtu" kind="number" label={nameOf(['MTUSize'])} />
        <SwitchField form={form} name="vlan" label="VLAN" />
        {form.entered.vlan === 'true' && (
          <div class="pair">
            <Field form={form} name="id" kind="number" label={nameOf(['VLAN', 'VLANId'])} />
            <Field form={form} name="priority" kind="number" label={nameOf(['VLAN', 'VLANPriority'])} />
          </div>
        )}
      </FormFields>
    </Card>
  )
}
