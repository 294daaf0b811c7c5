import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { binaries, type Command, onNode, output } from './program.ts'
import { missing, native, program } from './programs.ts'

type Call = [name: 'verify' | 'seal' | 'open', bytes: string, second: string, key: string]

const sanitized = {
  host: `${native} binary with AddressSanitizer and UBSan`,
  skip: missing(native),
  build: async (fixture: string): Promise<Command> => [await program(fixture, { sanitize: true })]
}

/** @returns the lengths that the host names, and what each call gives */
async function answers(command: Command, calls: Call[]): Promise<unknown[]> {
  process.env.NACL_CALLS = JSON.stringify(calls)
  return JSON.parse(await output(command))
}

interface Vector {
  seed: string
  key: string
  text: string
  signature: string
}

/** RFC 8032, section 7.1. */
const vectors: Record<string, Vector> = {
  '1': {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    text: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'
  },
  '2': {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    key: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    text: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
  },
  '3': {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    text: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a'
  },
  '1024': {
    seed: 'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
    key: '278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
    text: '08b8b2b733424243760fe426a4b54908632110a66c2f6591eabd3345e3e4eb98fa6e264bf09efe12ee50f8f54e9f77b1e355f6c50544e23fb1433ddf73be84d879de7c0046dc4996d9e773f4bc9efe5738829adb26c81b37c93a1b270b20329d658675fc6ea534e0810a4432826bf58c941efb65d57a338bbd2e26640f89ffbc1a858efcb8550ee3a5e1998bd177e93a7363c344fe6b199ee5d02e82d522c4feba15452f80288a821a579116ec6dad2b3b310da903401aa62100ab5d1a36553e06203b33890cc9b832f79ef80560ccb9a39ce767967ed628c6ad573cb116dbefefd75499da96bd68a8a97b928a8bbc103b6621fcde2beca1231d206be6cd9ec7aff6f6c94fcd7204ed3455c68c83f4a41da4af2b74ef5c53f1d8ac70bdcb7ed185ce81bd84359d44254d95629e9855a94a7c1958d1f8ada5d0532ed8a5aa3fb2d17ba70eb6248e594e1a2297acbbb39d502f1a8c6eb6f1ce22b3de1a1f40cc24554119a831a9aad6079cad88425de6bde1a9187ebb6092cf67bf2b13fd65f27088d78b7e883c8759d2c4f5c65adb7553878ad575f9fad878e80a0c9ba63bcbcc2732e69485bbc9c90bfbd62481d9089beccf80cfe2df16a2cf65bd92dd597b0707e0917af48bbb75fed413d238f5555a7a569d80c3414a8d0859dc65a46128bab27af87a71314f318c782b23ebfe808b82b0ce26401d2e22f04d83d1255dc51addd3b75a2b1ae0784504df543af8969be3ea7082ff7fc9888c144da2af58429ec96031dbcad3dad9af0dcbaaaf268cb8fcffead94f3c7ca495e056a9b47acdb751fb73e666c6c655ade8297297d07ad1ba5e43f1bca32301651339e22904cc8c42f58c30c04aafdb038dda0847dd988dcda6f3bfd15c4b4c4525004aa06eeff8ca61783aacec57fb3d1f92b0fe2fd1a85f6724517b65e614ad6808d6f6ee34dff7310fdc82aebfd904b01e1dc54b2927094b2db68d6f903b68401adebf5a7e08d78ff4ef5d63653a65040cf9bfd4aca7984a74d37145986780fc0b16ac451649de6188a7dbdf191f64b5fc5e2ab47b57f7f7276cd419c17a3ca8e1b939ae49e488acba6b965610b5480109c8b17b80e1b7b750dfc7598d5d5011fd2dcc5600a32ef5b52a1ecc820e308aa342721aac0943bf6686b64b2579376504ccc493d97e6aed3fb0f9cd71a43dd497f01f17c0e2cb3797aa2a2f256656168e6c496afc5fb93246f6b1116398a346f1a641f3b041e989f7914f90cc2c7fff357876e506b50d334ba77c225bc307ba537152f3f1610e4eafe595f6d9d90d11faa933a15ef1369546868a7f3a45a96768d40fd9d03412c091c6315cf4fde7cb68606937380db2eaaa707b4c4185c32eddcdd306705e4dc1ffc872eeee475a64dfac86aba41c0618983f8741c5ef68d3a101e8a3b8cac60c905c15fc910840b94c00a0b9d0',
    signature:
      '0aab4c900501b3e24d7cdf4663326a3a87df5e4843b2cbdb67cbf6e460fec350aa5371b1508f9f4528ecea23c436d94b5e8fcd4f681e30a6ac00a9704a188a03'
  },
  'SHA(abc)': {
    seed: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    key: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    text: 'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704'
  }
}

const signed = ({ text, signature, key }: Vector): Call => ['verify', text, signature, key]
const { seed, key, text, signature } = vectors['3']!

/** Hex digits with the lowest bit of one byte changed. */
function changed(digits: string, at: number): string {
  const byte = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16) ^ 1
  return digits.slice(0, 2 * at) + byte.toString(16).padStart(2, '0') + digits.slice(2 * at + 2)
}

/** Every text that one changed byte makes of `digits`. */
const changes = (digits: string) => Array.from({ length: digits.length / 2 }, (_, at) => changed(digits, at))

const order = 2n ** 252n + 27742317777372353535851937790883648493n
const prime = 2n ** 255n - 19n
const number = (digits: string) => BigInt(`0x${Buffer.from(digits, 'hex').reverse().toString('hex')}`)
const digits = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse().toString('hex')
const sha512 = (...parts: string[]) =>
  createHash('sha512')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex')

/** The neutral element of the group: its y is 1. */
const neutral = digits(1n)

/** For the neutral element as R only the holder of the key can compute S. */
function ofNeutral(): string {
  const scalar = (number(sha512(seed).slice(0, 64)) & (2n ** 254n - 8n)) | (2n ** 254n)
  return neutral + digits((number(sha512(neutral, key, text)) * scalar) % order)
}

const wrong = {
  'a byte is changed': [
    ...changes(signature).map((each): Call => ['verify', text, each, key]),
    ...changes(key).map((each): Call => ['verify', text, signature, each]),
    ...changes(text).map((each): Call => ['verify', each, signature, key])
  ],
  'a text is longer, shorter or missing': ['', 'af', 'af8200'].map((each): Call => ['verify', each, signature, key]),
  'nothing is signed': ['00', 'ff'].map((each): Call => ['verify', text, each.repeat(64), key]),
  'the key is on no curve': [['verify', text, signature, digits(2n)]]
} satisfies Record<string, Call[]>

/** Equations that hold, for numbers that RFC 8032 (5.1.3 and 5.1.7) or libsodium does not allow. */
const lax: Record<string, Call> = {
  'S above the order of the group': [
    'verify',
    text,
    signature.slice(0, 64) + digits(number(signature.slice(64)) + order),
    key
  ],
  'R of a small order': ['verify', text, ofNeutral(), key],
  'a key of a small order': ['verify', text, neutral + digits(0n), neutral],
  'a key whose y is not below the prime': ['verify', text, neutral + digits(0n), digits(prime + 1n)]
}

/** The box in the tests of NaCl, by D. J. Bernstein, T. Lange and P. Schwabe. */
const box = {
  key: '1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389',
  nonce: '69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37',
  text: 'be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705',
  sealed:
    'f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5'
}

async function verifies(t: Test, command: Command): Promise<void> {
  const [lengths, ...answered] = await answers(command, Object.values(vectors).map(signed))
  t.same(lengths, [64, 32, 24])
  t.same(answered, [true, true, true, true, true], 'the signatures of RFC 8032 are good')
  for (const [title, calls] of Object.entries(wrong)) {
    const [, ...verdicts] = await answers(command, calls)
    t.same(
      verdicts,
      calls.map(() => false),
      `refuses a signature where ${title}`
    )
  }
  const sizes = ['', '00', signature.slice(2), `${signature}00`]
  const [, ...misfits] = await answers(command, [
    ...sizes.map((each): Call => ['verify', text, each, key]),
    ...['', key.slice(2), `${key}00`].map((each): Call => ['verify', text, signature, each])
  ])
  t.same(misfits, Array(7).fill('Error'), 'throws for a signature or a key of a wrong length')
}

async function seals(t: Test, command: Command): Promise<void> {
  const open = (sealed: string, nonce = box.nonce, key = box.key): Call => ['open', sealed, nonce, key]
  const [, sealed, opened, empty] = await answers(command, [
    ['seal', box.text, box.nonce, box.key],
    open(box.sealed),
    ['seal', '', box.nonce, box.key]
  ])
  t.same([sealed, opened], [box.sealed, box.text], 'the box of NaCl is sealed and opened')
  const [, nothing, ...refused] = await answers(command, [
    open(String(empty)),
    ...changes(box.sealed).map((each) => open(each)),
    ...['', '00', box.sealed.slice(0, 30), box.sealed.slice(0, -2), `${box.sealed}00`].map((each) => open(each)),
    open(box.sealed, changed(box.nonce, 23)),
    open(box.sealed, box.nonce, changed(box.key, 0))
  ])
  t.equal(nothing, '', 'as is one of nothing')
  t.same(
    refused,
    refused.map(() => null),
    'no other box is opened'
  )
  const [, ...misfits] = await answers(command, [
    ['seal', box.text, box.nonce.slice(2), box.key],
    ['seal', box.text, box.nonce, `${box.key}00`],
    open(box.sealed, `${box.nonce}00`),
    open(box.sealed, box.nonce, '')
  ])
  t.same(misfits, Array(4).fill('Error'), 'throws for a nonce or a key of a wrong length')
}

for (const { host, skip, build } of [onNode, ...binaries, sanitized]) {
  t.test(`${host}: Ed25519 and boxes`, { skip }, async (t) => {
    const command = await build('nacl')
    await verifies(t, command)
    await seals(t, command)
    const [, ...verdicts] = await answers(command, Object.values(lax))
    const isLax = host === onNode.host
    t.same(
      verdicts,
      Object.values(lax).map(() => isLax),
      `${isLax ? 'takes' : 'refuses'} ${Object.keys(lax).join(', ')}`
    )
  })
}
