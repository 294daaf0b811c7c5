import { formats } from '#runtime/schema'
import { credential, distinguished, hostName, isNothing, isRandom, mac, pem, serviceTag, slot } from './forms.ts'

/** The kinds of values that are not published. */
export type Kind =
  | 'credential'
  | 'service tag'
  | 'express service code'
  | 'serial number'
  | 'UUID'
  | 'world-wide name'
  | 'asset tag'
  | 'host name'
  | 'certificate'
  | 'person'
  | 'location'

/** The place of a member in a recording. */
export interface Place {
  /** The path of its resource. */
  readonly path: string
  /** The type of its resource, such as `Chassis`. */
  readonly type: string
  /** The members that it lies in. */
  readonly within: readonly string[]
}

/** Whether a type is that of a whole machine: makers also put its numbers into other names. */
export const isMachine = (type: string) => /^(ComputerSystem|Chassis|Manager|ServiceRoot|DellSystem)$/.test(type)

/** The words of a name, in lower case: `Users.2.SHA1v3Key` has users, 2, sha1v3, key. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^\dA-Za-z]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** The end of a name, without the number after it. */
interface Ending {
  readonly words: readonly string[]
  /** All words of the last part, together. */
  readonly joined: string
}

const known = new Map<string, Ending>()

function endingOf(name: string): Ending {
  const found = known.get(name)
  if (found !== undefined) return found
  const words = wordsOf(name.replace(/\d+$/, ''))
  const last = /[^.]*$/.exec(name)?.[0] ?? ''
  const made = { words, joined: wordsOf(last.replace(/\d+$/, '')).join('') }
  if (known.size < 20_000) known.set(name, made)
  return made
}

/** Words that may follow in the name of a credential: `PasswordHash` is one, `PasswordMinimumLength` is not. */
const carrier =
  /^(p?\d*|strings?|values?|text|data|hash|salt|digest|confirm(ation)?|retry|encrypted|enc|base64|hex|plain(text)?|old|new|current|default)$/

/** The last word of the name of a credential. */
const credentialWord =
  /(password|passwd|passphrase|passcode|passkey|pwd|secret|token|credential|community|communitie|keytab|psk)s?$/

/** The word before `Key` in the name of a cryptographic key; `QuitKey` is a key of a keyboard. */
const keyWord =
  /^(ipmi|kg|v3|auth\w*|priv\w*|secret|shared|psk|preshared|encrypt\w*|decrypt\w*|licen[cs]e|product|api|access|host|ssh|session|master|sign\w*|security|public|activation|recovery|wrap\w*|sed|drive|disk|raid|kms|kmip|s?ekm|radius|tacacs|bmc|root|client|server|md5\w*|sha\d*\w*|aes\w*|des|hmac\w*|rsa|ecdsa|dsa|ed25519|user|password|seed|t?otp|wifi|wpa\w*|snmp\w*|registration|entitlement|feature|unlock|storage|controller|escrow|ntp)$/
const wholeKeyWord =
  /(private|encryption|authentication|authorization|authority|secret|shared|api|license|access|ssh|priv|auth|ipmi)keys?$/

/** Whether a name is that of a credential, and not of a rule for credentials. */
function isCredential({ words }: Ending): boolean {
  let end = words.length
  while (end > 1 && carrier.test(words[end - 1]!)) end--
  if (/^names?$/.test(words[end - 1] ?? '') && /communit/.test(words[end - 2] ?? '')) end--
  const word = words[end - 1] ?? ''
  if (credentialWord.test(word) || wholeKeyWord.test(word)) return true
  if (/^licen[cs]e$/.test(word)) return end < words.length && words[end] === 'string'
  return /^keys?$/.test(word) && keyWord.test(words.slice(0, end - 1).findLast((each) => !/^\d+$/.test(each)) ?? '')
}

const serial =
  /(serialn(umbers?|um|o|r)|(board|system|chassis|product|node|module|enclosure|drive|disk|device|assembly|sfp|psu|pcba)serial|ppid|barcode|registrationid)$/
const asset = /(assettag|assetnumber|assetid|propertytag|inventorynumber)$/
const worldwide =
  /(ww[np]?n|worldwide(port|node)?(name|id)|durablename|guid|eui(64)?|sasaddress|naa|iscsiname|initiatorname|engineid)$/
/** Identifiers of DHCP clients: a MAC address, or random bytes. */
const dhcp = /(duid|clientidentifier)$/
/** GUIDs of formats, classes and makers, which are the same for all machines. */
const ofType = /(vendor|format|owner|type|class|namespace|schema|partition|file)(gu|uu)id$/
const host =
  /((host|dns|rac|computer|machine|netbios|workgroup|server|share)names?|hostname|fqdns?|(dns|nic|rac|user|ad|ldap|search|lookup|gcroot|default)domain|domainnames?|(ntp|dns|name|smtp|mail|syslog|ldap|proxy|s?ftp|tftp|nfs|cifs|radius|tacacs|kms|log)server(name|host)?s?|systemname|workgroup|realm|domaincontroller|globalcatalog)$/
/** Members that have the name of a host or another text: the form of the value decides. */
const hostPlace =
  /(server|host|addr|address|addresses|destination|gateway|proxy|endpoint|peer|ntp|dns|domains?|remote)$/
const person =
  /((user|login|logon)(name|id)|userprincipalname|(contact(s|info|information|name|person|email|phone)?)|e?mail(address|addr)?|senderemail|phone(number)?|smsnumber|admin(istrator)?name|(full|first|last|given|sur)name|(owner|custodian)(name)?|(created|modified)by|(bind|base|group|user|search)dn|basedistinguishednames?|remote(group|user)|csr(commonname|emailaddr|localityname|organizationname|organizationunit|statename|subjectaltname))$/
const location =
  /((sys|system|server|chassis|physical|device|snmp)location|(aisle|datacenter|rack|room|building|site)name|postalcode|latitude|longitude)$/
const locationWord = /^(datacenter|aisle|room|building|site|street|city)$/
const certificateName =
  /^(subject|issuer)(commonname|locality|organization|organizationalunit|state|alternativenames?)$/
const fingerprint = /(fingerprint|thumbprint|(subject|authority)keyidentifier)$/

/** Attributes whose last word is too general to decide, by their whole names. */
const groups: readonly [RegExp, Kind][] = [
  [/^(adgroup|ldaprolegroup)\.\d+\.(name|dn)$/i, 'person'],
  [/^(adgroup|userdomain)\.\d+\.(domain|name)$/i, 'host name'],
  [/(^|\.)(rfs\.\d+\.)?user$/i, 'person'],
  [/^syslog\.\d+\.server\d*$/i, 'host name'],
  [/^lcd\.\d+\.(userdefinedstring|currentdisplay)$/i, 'host name']
]

/** Objects of which each text has the same kind. */
const containers: readonly [RegExp, Kind][] = [
  [/^PostalAddress$|^Placement$|^GPS/, 'location'],
  [/^Contacts$/, 'person'],
  [/^(Subject|Issuer)$/, 'certificate']
]

/** Types of parts: their location is a slot, and not that of the machine. */
const part =
  /Drive|Memory|Dimm|Processor|Storage|Volume|PCIe|Power|Thermal|Fan|Sensor|Network|Port|Battery|Cable|Firmware/i

const roles = /^(admin(istrator)?|operator|read ?only|user|guest|root)s?$/i

/** Whether a resource is about secure boot: its keys and certificates are those of makers. */
const isSecureBoot = ({ path }: Place) => /\/SecureBoot/i.test(path)

/**
 * The kind of a value by its name, its form and its place; undefined if it may be published.
 *
 * @param name of the member, or of the list that it is in
 */
export function kindOf(name: string, value: string | number, place: Place): Kind | undefined {
  const ending = endingOf(name)
  const { joined } = ending
  if (typeof value === 'number') {
    if (/expressservicecode$/.test(joined)) return 'express service code'
    if (/^(latitude|longitude)$/.test(joined)) return 'location'
    return /(password|passwd|passcode|pin)$/.test(joined) ? 'credential' : undefined
  }
  if (value === '' || value.startsWith('/redfish/') || name.includes('@')) return undefined
  if (credential.test(value)) return 'credential'
  if (isNothing(value)) return isCredential(ending) && !/[a-z]/i.test(value) ? 'credential' : undefined
  if (isCredential(ending) || (joined === 'key' && isRandom(value))) return 'credential'
  return identityOf(name, value, place, ending)
}

function identityOf(name: string, value: string, place: Place, { words, joined }: Ending): Kind | undefined {
  const last = words.at(-1) ?? ''
  if (/servicetag$/.test(joined)) return 'service tag'
  if (/expressservicecode$/.test(joined)) return 'express service code'
  if (/nodeid$/.test(joined) && serviceTag.test(value)) return 'service tag'
  if (joined === 'sku' && serviceTag.test(value) && value.length === 7) return 'service tag'
  if (isSecureBoot(place)) return undefined
  if (serial.test(joined) || last === 'sn') return 'serial number'
  if (last === 'serial' && /^(?!com\d)(?=.*\d)[\w-]{6,}$/i.test(value)) return 'serial number'
  if (asset.test(joined)) return 'asset tag'
  if (formats.uuid.test(value)) return /(uu|gu)id$/.test(joined) && !ofType.test(joined) ? 'UUID' : undefined
  if (worldwide.test(joined) && !ofType.test(joined)) return 'world-wide name'
  if (dhcp.test(joined) && value.search(mac) < 0) return 'world-wide name'
  if (pem.test(value) || joined === 'certificatestring' || fingerprint.test(joined)) return 'certificate'
  if (certificateName.test(joined)) return 'certificate'
  const group = groups.find(([pattern]) => pattern.test(name))
  if (group !== undefined && !roles.test(value)) return group[1]
  const container = containers.find(([pattern]) => place.within.some((each) => pattern.test(each)))
  if (container !== undefined) return container[1]
  if (host.test(joined) || (hostPlace.test(joined) && hostName.test(value))) return 'host name'
  if (person.test(joined) || distinguished.test(value)) return 'person'
  if (locationWord.test(joined) || (location.test(joined) && !/location$/.test(joined))) return 'location'
  if (location.test(joined) || joined === 'location')
    return part.test(place.type) || slot.test(value) ? undefined : 'location'
  return undefined
}

/** Names of values that look like keys, and identify no machine. */
const harmless =
  /(hash|digest|checksum|crc|measurements?|signature|version|revision|build|modulename|fqdd|instanceid|deviceid|guid|data|number|model|key(id|identifier))$/

/** The reason for which a person should review a value that is kept; undefined without one. */
export function doubtOf(name: string, value: string, place: Place): string | undefined {
  if (value.startsWith('/redfish/') || name.includes('@') || isNothing(value)) return undefined
  const { joined } = endingOf(name)
  if (isSecureBoot(place)) return pem.test(value) ? 'a certificate of secure boot, which may name its owner' : undefined
  if (joined === 'messageargs' && place.type === 'Event' && /^[a-z][\w.@-]*$/i.test(value))
    return 'it may be the name of a person or host'
  if (joined === 'sku') return 'it may be a product, or one machine'
  if (formats.uuid.test(value)) return /^(id|name)$/.test(joined) || ofType.test(joined) ? undefined : 'a UUID'
  if (isRandom(value) && !harmless.test(joined)) return 'it looks like a key or a hash'
  return undefined
}
