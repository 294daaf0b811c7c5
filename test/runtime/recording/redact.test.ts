import t from 'tap'
import { Redactor, redacted } from '#runtime/recording/redaction/redact.ts'
import { Redaction } from '#runtime/recording/redaction/redaction.ts'
import { certificate } from '#test/handlers/keys.ts'
import { credentials, harmless, identities } from './secrets.ts'

const at = '/redfish/v1/Managers/1/Attributes'

/** One resource without secrets; with `more`, also without identities. */
function cleaned(resource: object, more = true, path = at, report = new Redaction()) {
  const resources = redacted(new Map([[path, resource as Record<string, unknown>]]), more, report)
  return [...resources.values()][0] as Record<string, unknown>
}

const attributes = (values: object) => ({
  '@odata.type': '#ContosoAttributes.v1_0_0.ContosoAttributes',
  Attributes: values
})

for (const [maker, values] of Object.entries(credentials))
  t.test(`credentials become null, as ${maker} names them`, async (t) => {
    for (const [name, value] of Object.entries(values))
      for (const more of [false, true]) {
        t.equal(cleaned({ [name]: value }, more)[name], null, name)
        t.equal((cleaned(attributes({ [name]: value }), more).Attributes as never)[name], null, `Attributes/${name}`)
      }
  })

for (const [maker, values] of Object.entries(identities))
  t.test(`identities are replaced with --redact and stay without it, as ${maker} names them`, async (t) => {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value === 'number') continue
      const [own, other] = [cleaned({ [name]: value }, false)[name], cleaned(attributes({ [name]: value })).Attributes]
      if (!/DUID/.test(name)) t.equal(own, value, name)
      const text = JSON.stringify(other).toLowerCase()
      t.notOk(text.includes(String(value).toLowerCase()), `${name}: ${text}`)
      t.equal(typeof (other as never)[name], 'string', name)
    }
  })

for (const [maker, values] of Object.entries(harmless))
  t.test(`policies, lengths, flags and enumerations stay, as ${maker} names them`, async (t) => {
    for (const more of [false, true]) {
      t.strictSame(cleaned(values, more), values)
      t.strictSame(cleaned(attributes(values), more), attributes(values))
    }
  })

const root = '/redfish/v1'

/** A machine whose service tag is in many of its names, and the report of its redaction. */
function machine(more = true) {
  const system = {
    '@odata.id': `${root}/Systems/System.Embedded.1`,
    '@odata.type': '#ComputerSystem.v1_16_0.ComputerSystem',
    SKU: 'CT0SO42',
    SerialNumber: 'CNCT00123456',
    UUID: '4c4c4544-0043-5410-8030-b7c04f4e3432',
    HostName: 'db7.corp.example',
    Description: 'db7.corp.example is CT0SO42, ask erika.mustermann; user admin',
    Members: [{ '@odata.id': `${root}/Chassis/Node-CT0SO42` }],
    Oem: { Contoso: { NodeID: 'CT0SO42', ExpressServiceCode: '27876244754', Code: 27_876_244_754 } }
  }
  const chassis = {
    '@odata.id': `${root}/Chassis/Node-CT0SO42`,
    '@odata.type': '#Chassis.v1_21_0.Chassis',
    Id: 'Node-CT0SO42',
    Name: 'Chassis of CNCT00123456',
    Ports: { '3CECEF0A1B2C': { MACAddress: '3c:ec:ef:0a:1b:2c', Duid: '00:01:00:01:27:9b:cf:b4:3c:ec:ef:0a:1b:2c' } },
    Other: '000300013CECEF0A1B2D',
    Board: 'bmc-3cecef0a1b2c',
    Fabric: '20:00:3C:EC:EF:0A:1B:2C'
  }
  const manager = {
    '@odata.id': `${root}/Managers/1`,
    '@odata.type': '#Manager.v1_15_0.Manager',
    HostName: 'idrac-ct0so42',
    Attributes: {
      'Users.2.UserName': 'erika.mustermann',
      'Users.3.UserName': 'admin',
      'SNMP.1.AgentCommunity': 'snmpers7',
      'SNMP.1.EngineID': '0x80001f880443543053' + '4f3432',
      'SecurityCertificate.1.SubjectCommonName': 'idrac-CT0SO42'
    },
    RoleId: 'admin',
    Help: 'the community is snmpers7',
    Image: 'nfs://erika:pw@store.corp.example/x.iso',
    More: 'https://help.contoso.example/x'
  }
  const report = new Redaction()
  const own = new Map([system, chassis, manager].map((each) => [each['@odata.id'], each as Record<string, unknown>]))
  const resources = redacted(own, more, report)
  // biome-ignore lint/suspicious/noExplicitAny: as makers serve it
  const [first, second, third] = [...resources.values()] as any[]
  return { resources, text: JSON.stringify([...resources]), system: first, chassis: second, manager: third, report }
}

t.test('a service tag becomes one other in all its places, with the express service code of it', async (t) => {
  const { system, chassis, manager, resources, text } = machine()
  const tag = system.SKU
  t.match(tag, /^[\dA-Z]{7}$/)
  t.equal(system.Oem.Contoso.NodeID, tag)
  t.equal(system.Oem.Contoso.ExpressServiceCode, String(Number.parseInt(tag, 36)))
  t.equal(system.Oem.Contoso.Code, Number.parseInt(tag, 36))
  t.equal(manager.HostName, `idrac-${tag.toLowerCase()}`)
  t.equal(manager.Attributes['SecurityCertificate.1.SubjectCommonName'], `idrac-${tag}`)
  t.equal(manager.Attributes['SNMP.1.EngineID'].includes('43543053'), false)
  t.equal(chassis['@odata.id'], `${root}/Chassis/Node-${tag}`)
  t.equal(chassis.Id, `Node-${tag}`)
  t.strictSame(system.Members, [{ '@odata.id': chassis['@odata.id'] }])
  t.ok(resources.has(chassis['@odata.id']))
  for (const taken of ['ct0so42', '27876244754', 'cnct00123456', 'db7', 'mustermann', 'b7c04f', 'corp.example'])
    t.notOk(text.toLowerCase().includes(taken), `${taken}: ${text}`)
})

t.test('a value that is secret in one place is replaced in all, unless it is a common word', async (t) => {
  const { system, manager } = machine()
  t.equal(
    system.Description,
    `${system.HostName} is ${system.SKU}, ask ${manager.Attributes['Users.2.UserName']}; user admin`
  )
  t.not(manager.Attributes['Users.3.UserName'], 'admin')
  t.equal(manager.RoleId, 'admin')
  for (const more of [false, true]) {
    t.equal(machine(more).manager.Attributes['SNMP.1.AgentCommunity'], null)
    t.equal(machine(more).manager.Help, 'the community is secret-1')
    t.notOk(machine(more).text.includes('erika:pw'))
  }
  t.equal(machine(false).manager.Image, 'nfs://store.corp.example/x.iso')
  t.match(manager.Image, /^nfs:\/\/host-1\.example\.com\/x\.iso$/)
})

t.test('a MAC address is one other in DUIDs, names and longer addresses', async (t) => {
  for (const more of [false, true]) {
    const { chassis, text } = machine(more)
    const [[key, port]] = Object.entries<Record<string, string>>(chassis.Ports) as [[string, Record<string, string>]]
    const bare = (value = '') => value.replaceAll(':', '').toUpperCase()
    t.equal(bare(port.MACAddress), key)
    t.match(key, /^020000/)
    t.equal(bare(port.Duid), `00010001279BCFB4${key}`)
    t.equal(chassis.Board, `bmc-${key.toLowerCase()}`)
    t.equal(bare(chassis.Fabric), `2000${key}`)
    t.notOk(/3cecef0a1b/i.test(text), text)
  }
})

t.test('types in attribute registries and allowable values decide before names do', async (t) => {
  const registry = {
    '@odata.type': '#AttributeRegistry.v1_3_6.AttributeRegistry',
    RegistryEntries: {
      Attributes: [
        {
          AttributeName: 'Word',
          Type: 'Password',
          DefaultValue: 'plugh',
          CurrentValue: 'xyzzy99',
          HelpText: 'xyzzy99'
        },
        { AttributeName: 'AdminPassword', Type: 'Enumeration', DefaultValue: 'Weak', Value: [{ ValueName: 'Weak' }] },
        { AttributeName: 'SystemServiceTag', Type: 'String', DefaultValue: '', CurrentValue: 'CT0SO42' }
      ]
    }
  }
  const bios = {
    '@odata.type': '#Bios.v1_2_0.Bios',
    Attributes: { Word: 'xyzzy99', AdminPassword: 'Weak' },
    Token: 'Strict',
    'Token@Redfish.AllowableValues': ['Strict', 'Lax'],
    AdminPassword: 'Weak'
  }
  const [entries, other] = [
    ...redacted(
      new Map<string, Record<string, unknown>>([
        [`${root}/R`, registry],
        [`${root}/B`, bios]
      ]),
      true
    ).values()
  ]
  t.match(entries, {
    RegistryEntries: {
      Attributes: [
        { DefaultValue: null, CurrentValue: null, HelpText: 'xyzzy99' },
        { DefaultValue: 'Weak' },
        { DefaultValue: '', CurrentValue: 'TAG0001' }
      ]
    }
  })
  t.match(other, { Attributes: { Word: null, AdminPassword: 'Weak' }, Token: 'Strict', AdminPassword: null })
})

t.test("certificates of secure boot stay, since they are their makers', and others go", async (t) => {
  const own = {
    '@odata.type': '#Certificate.v1_5_0.Certificate',
    CertificateString: certificate,
    Subject: { CommonName: 'idrac.corp.example', Organization: 'Mustermann AG' },
    Fingerprint: 'AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01'
  }
  const secureBoot = `${root}/Systems/1/SecureBoot/SecureBootDatabases/db/Certificates/1`
  t.strictSame(cleaned(own, true, secureBoot), own)
  t.strictSame(cleaned(own, false), own)
  const other = cleaned(own, true, `${root}/Managers/1/NetworkProtocol/HTTPS/Certificates/1`)
  t.match(other, { CertificateString: null, Subject: { CommonName: String, Organization: String } })
  t.notOk(/corp|Mustermann|AB:CD/.test(JSON.stringify(other)), JSON.stringify(other))
  const ofMaker = {
    Manufacturer: 'Contoso Inc.',
    Model: 'Round Table',
    SysMfrContactInfo: 'www.contoso.example',
    Issuer: { Organization: 'Contoso Trust', City: 'Round' }
  }
  t.match(cleaned(ofMaker), { ...ofMaker, Issuer: { Organization: 'Contoso Trust', City: /^subject-/ } })
})

t.test('addresses of buildings and persons go with their objects, and slots of parts stay', async (t) => {
  const own = {
    '@odata.type': '#Chassis.v1_21_0.Chassis',
    Location: {
      PostalAddress: { Country: 'DE', Street: 'Unter den Linden 7' },
      Placement: { Rack: 'R 12', RackOffsetUnits: 'EIA_310' },
      Contacts: [{ ContactName: 'Erika', PhoneNumber: '030' }],
      PartLocation: { ServiceLabel: 'Slot 3', LocationType: 'Bay', LocationOrdinalValue: 3 }
    }
  }
  const { Location: made } = cleaned(own) as typeof own
  t.strictSame(made.PartLocation, own.Location.PartLocation)
  t.notOk(/Linden|R 12|Erika|030/.test(JSON.stringify(made)), JSON.stringify(made))
  const drive = { '@odata.type': '#Drive.v1_0_0.Drive', Location: 'Enclosure 1' }
  t.strictSame(cleaned(drive), drive)
})

t.test('the report has counts and names of what was removed, what is not sure, and no value', async (t) => {
  const { report } = machine()
  const lines = report.lines()
  const text = lines.join('\n')
  t.ok(lines.includes('removed: 2 credentials: Image, SNMP.1.AgentCommunity'), text)
  t.match(text, /^removed: \d+ persons: Users\.2\.UserName, Users\.3\.UserName$/m)
  t.match(text, /^removed: 2 service tags: NodeID, SKU$/m)
  t.match(text, /^not sure: More: the host of a URL, kept: \/redfish\/v1\/Managers\/1$/m)
  t.notOk(/CT0SO42|erika|snmpers|db7/i.test(text), text)
  const blob = new Redaction()
  cleaned(
    { Blob: '9F86D081884C7D659A2FEAA0C55AD015', SKU: 'P-7', Ref: '6c1d1b0a-7d30-4d2f-9a52-2f5c1b7e0a11' },
    true,
    at,
    blob
  )
  t.strictSame(blob.lines(), [
    `not sure: Blob: it looks like a key or a hash, kept: ${at}`,
    `not sure: Ref: a UUID, kept: ${at}`,
    `not sure: SKU: it may be a product, or one machine, kept: ${at}`
  ])
})

t.test('events have the pseudonyms of the resources, and short names of accounts are found in them', async (t) => {
  const system = { '@odata.type': '#ComputerSystem.v1_16_0.ComputerSystem', SerialNumber: 'CNCT00123456' }
  const account = { '@odata.type': '#ManagerAccount.v1_12_0.ManagerAccount', UserName: 'ann' }
  const event = {
    '@odata.type': '#Event.v1_7_0.Event',
    Events: [
      {
        Message: "The user 'ann' replaced CNCT00123456 at 192.0.2.7, not annex.",
        MessageArgs: ['ann', 'CNCT00123456', '192.0.2.7', 'erika', 'admin'],
        OriginOfCondition: { '@odata.id': `${root}/AccountService/Accounts/ann` }
      }
    ]
  }
  const report = new Redaction()
  const made = (more: boolean, accounts: readonly Record<string, unknown>[]) =>
    new Redactor(new Map([[`${root}/Systems/1`, system]]), more, report, [event], accounts)
  const redactor = made(true, [account, { ...account, UserName: 'admin' }])
  t.strictSame([...redactor.resources().keys()], [`${root}/Systems/1`], 'neither events nor accounts are resources')
  t.match(redactor.events(), [
    {
      Events: [
        {
          Message: "The user 'person-1' replaced serial-1 at 198.18.0.1, not annex.",
          MessageArgs: ['person-1', 'serial-1', '198.18.0.1', 'erika', 'admin'],
          OriginOfCondition: { '@odata.id': `${root}/AccountService/Accounts/person-1` }
        }
      ]
    }
  ])
  t.match(report.lines().at(-1), /^not sure: MessageArgs: it may be the name of a person or host, kept: event 1$/)
  t.match(made(false, []).events(), [{ Events: [{ MessageArgs: ['ann', 'CNCT00123456', '198.18.0.1', 'erika'] }] }])
})
