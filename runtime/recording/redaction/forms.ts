/** The forms of values that are secrets, or identify a machine. */

/**
 * Six bytes and no more, with separators; as UEFI writes them in device paths; and as the end of a DUID (RFC 8415 11.2,
 * 11.4).
 */
export const mac =
  /(?<![\da-f]|[\da-f][:-])[\da-f]{2}([:-])[\da-f]{2}(?:\1[\da-f]{2}){4}(?![\da-f]|[:-][\da-f])|(?<=MAC\()[\da-f]{12}|(?<=(?<![\da-f]|[\da-f][:-])00[:-]?(?:01[:-]?00[:-]?01[:-]?(?:[\da-f]{2}[:-]?){4}|03[:-]?00[:-]?01[:-]?))[\da-f]{2}(?:[:-]?[\da-f]{2}){5}(?![\da-f]|[:-][\da-f])/gi

/** Whether digits are those of no address, or of the broadcast address. */
export const isZero = (found: string) => /^[0:-]+$|^[f:-]+$/i.test(found)

/** Hex digits in place of others: separators and the case of letters stay. */
export function respelled(found: string, digits: string): string {
  let at = 0
  const spelled = found.replace(/[\da-f]/gi, () => digits[at++] ?? '')
  return /[a-f]/.test(found) ? spelled.toLowerCase() : spelled
}

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
export const ipv4 = new RegExp(`(?<![\\d.])(?:${octet}\\.){3}${octet}(?![\\d.])`, 'g')
export const ipv6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi

/** Neither a time of the day, nor the bytes of a MAC address or a world-wide name (RFC 4291, 2.2). */
export const isIpv6 = (text: string) =>
  /[\da-f]/i.test(text) && (text.includes('::') || text.split(':').length === 8) && !/^(..:){7}..$/.test(text)

/** Masks, and addresses with a meaning of their own, which identify no machine. */
export const everybodys = /^(0\.0\.0\.0|127\.|255\.|[0:]+1?$)/

/** Eight bytes and more, in which there may be a MAC address. */
export const manyBytes = /(?<![\da-f])[\da-f]{2}(?:[:-]?[\da-f]{2}){7,}(?![\da-f])/gi

/** Credentials that are recognized without their name: private keys, hashes of passwords, tokens, public keys of SSH, product keys. */
export const credential =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|^\$(1|2[abxy]?|5|6|7|y|argon2\w*)\$|^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*$|^(Basic|Bearer) [\w+/=.~-]{8,}$|^(ssh-(rsa|dss|ed25519)|ecdsa-sha2-\S+|sk-\S+) AAAA|^([\dA-Z]{5}-){4}[\dA-Z]{5}$/

/** A PEM block of certificates. */
export const pem = /-----BEGIN [A-Z ]*CERTIFICATE/

/** An address of a person, but not the name of an algorithm of SSH (RFC 4251 6). */
export const email = /[\w.+-]+@(?!openssh\.com|libssh\.org)[\da-z-]+(?:\.[\da-z-]+)+/gi

/** RFC 3721, and the qualified names of NVMe. */
export const qualifiedName = /\b(?:iqn|nqn)\.\d{4}-\d{2}\.[\w.:-]+/gi

/** A distinguished name (RFC 4514). */
export const distinguished = /(^|,\s*)(cn|ou|dc|uid|o)=.*,/i

/** A name of a host with its domain (RFC 1123 2.1). */
export const hostName = /^(?=.*[a-z])[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+\.?$/i

/** The beginning of a URL, or of the path of a share: its scheme, who asks, and the host. */
export const authority =
  /((?:(?<![a-z\d+.-])[a-z][a-z\d+.-]*:)?(?:\/\/|\\\\))([^/\\@\s"]+@)?([a-z\d](?:[a-z\d.-]*[a-z\d])?)/gi

/** A service tag: capital letters and digits, as on the label of the machine. */
export const serviceTag = /^(?=.*\d)(?=.*[A-Z])[\dA-Z]{5,10}$/i

/** A state, and no value. */
const state =
  /^(enabled?|disabled?|true|false|yes|no|on|off|n\/?a|none|null|un(known|set|defined|specified)|(not ?)?(set|installed|present|absent|supported|required|configured|available|applicable|specified)|always|never|locked|unlocked|optional|empty)$/i

/** Makers' texts for a value that is not set. */
const placeholder =
  /^([\W_0]*|x+|f+|to be filled.*|default( .*)?|(no|not|system) .*|0?123456789\w{0,2}|localhost(\..*)?)$/i

/** Whether a text is a state, or a maker's text for a value that is not set. */
export const isNothing = (text: string) => state.test(text.trim()) || placeholder.test(text.trim())

/** The place of a part in its machine: "Slot 2", "1I:1:4". */
export const slot =
  /\b(slot|bay|port|box|embedded|dimm|cpu|proc|socket|fan|psu|front|rear|riser|mid|internal|pcie?|ocp|backplane|planar)\b|^[\dA-Z]{1,3}([:. -][\dA-Z]{1,3})*$/i

/** Whether letters and digits are mixed as in a key or a hash. */
export const isRandom = (text: string) =>
  /^(0x)?[\da-f]{24,}$/i.test(text) ||
  (/^[\w+/-]{20,}={0,2}$/.test(text) &&
    /\d/.test(text) &&
    /[A-Z].*[a-z].*[A-Z]|[a-z].*[A-Z].*[a-z]/.test(text) &&
    mixed(text))

/** Whether case and digits change more often than in words. */
const mixed = (text: string) => (text.match(/[a-z][A-Z\d]|\d[a-zA-Z]/g) ?? []).length > text.length / 4

/** Long enough to be looked for within words. */
export const isLong = (text: string) =>
  text.length >= 7 && /\d/.test(text) && /[a-z]/i.test(text) && /^[\da-z]+$/i.test(text)
