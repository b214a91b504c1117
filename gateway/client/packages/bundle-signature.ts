// The signature at the end of a bundle (.mcpb): whether it fits its content, and whose certificate made it. That certificate is compared with no list of publishers.
import { constants, createHash, createVerify, type KeyObject, X509Certificate } from 'node:crypto'
import type { BundleSignature } from '../../contract/admin/server-programs.ts'
import { cleanMetadata } from '../../text/clean.ts'
import { oidIn, onlyPart, type Part, partsIn, required } from './der.ts'

/** `[zip] MCPB_SIG_V1 <length, 4 bytes> <PKCS#7, DER> <zeros> MCPB_SIG_END` */
const [HEADER, FOOTER] = [Buffer.from('MCPB_SIG_V1'), Buffer.from('MCPB_SIG_END')]
const MOST_BLOCK = 131_072
const ZIP_END = 0x06054b50
const ZIP_END_BYTES = 22

const [SEQUENCE, SET, OID, INTEGER, OCTETS] = [0x30, 0x31, 0x06, 0x02, 0x04]
const FIRST = 0xa0
const KEY_ID = 0x80
const SIGNED_DATA = '1.2.840.113549.1.7.2'
const [CONTENT_TYPE, MESSAGE_DIGEST] = ['1.2.840.113549.1.9.3', '1.2.840.113549.1.9.4']
const PSS = '1.2.840.113549.1.1.10'
const DIGESTS = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

const broken = (why: string): never => {
  throw new Error(`the bundle is refused: its signature is broken: ${why}`)
}

type Block = { readonly content: Buffer; readonly bytes: number; readonly message: Buffer }

function blockIn(archive: Buffer): Block | undefined {
  const at = archive.lastIndexOf(HEADER)
  const isClosed = archive.subarray(-FOOTER.length).equals(FOOTER)
  const isNear = at !== -1 && archive.length - at <= MOST_BLOCK
  if (!isClosed) {
    // A file of the archive may have that text; only behind its end is it the begin of a signature.
    const begins = isNear && at >= ZIP_END_BYTES && archive.readUInt32LE(at - ZIP_END_BYTES) === ZIP_END
    return begins ? broken('its end is missing') : undefined
  }
  if (!isNear) return broken('its beginning is missing')
  const from = at + HEADER.length + 4
  const end = archive.length - FOOTER.length
  const last = from > end ? Infinity : from + archive.readUInt32LE(from - 4)
  if (last > end || archive.subarray(last, end).some((byte) => byte !== 0)) broken('its length is wrong')
  return { content: archive.subarray(0, at), bytes: archive.length - at, message: archive.subarray(from, last) }
}

/** The content with another length of its comment: a signer may write that of the block afterwards, which is not what it signed. */
function withComment(content: Buffer, change: (length: number) => number): Buffer {
  const marker = Buffer.alloc(4)
  marker.writeUInt32LE(ZIP_END)
  const end = content.lastIndexOf(marker)
  if (end === -1 || end + ZIP_END_BYTES > content.length) return content
  const length = change(content.readUInt16LE(end + 20))
  if (length < 0 || length > 0xffff) return content
  const changed = Buffer.from(content)
  changed.writeUInt16LE(length, end + 20)
  return changed
}

type Signer = {
  readonly certificate: X509Certificate
  readonly digest: string
  readonly isPss: boolean
  readonly signature: Buffer
  readonly attributes: Part | undefined
}

function certificateOf(who: Part, certificates: readonly Buffer[]): X509Certificate {
  const found = certificates.find((raw) => {
    const [body] = partsIn(onlyPart(raw, SEQUENCE).body)
    const fields = partsIn(required(body, SEQUENCE).body).filter(({ tag }) => tag !== FIRST)
    if (who.tag === KEY_ID) return raw.includes(who.body)
    const [serial, , issuer] = fields
    const named = Buffer.concat([required(issuer, SEQUENCE).whole, required(serial, INTEGER).whole])
    return named.equals(who.body)
  })
  return new X509Certificate(found ?? broken('it has no certificate of its signer'))
}

const algorithm = (part: Part | undefined): string => oidIn(required(partsIn(required(part, SEQUENCE).body)[0], OID))

function signerIn(info: Part, certificates: readonly Buffer[]): Signer {
  const [, who, hash, ...rest] = partsIn(required(info, SEQUENCE).body)
  const attributes = rest[0]?.tag === FIRST ? rest.shift() : undefined
  const [method, signature] = rest
  const digest = DIGESTS.get(algorithm(hash)) ?? broken('its hash is not SHA-2')
  return {
    certificate: certificateOf(who?.tag === KEY_ID ? who : required(who, SEQUENCE), certificates),
    digest,
    isPss: algorithm(method) === PSS,
    signature: required(signature, OCTETS).body,
    attributes,
  }
}

function signersIn(message: Buffer): readonly Signer[] {
  const [kind, wrapped] = partsIn(onlyPart(message, SEQUENCE).body)
  if (oidIn(required(kind, OID)) !== SIGNED_DATA) broken('it is no PKCS#7 signature')
  const fields = partsIn(onlyPart(required(wrapped, FIRST).body, SEQUENCE).body)
  const certificates = partsIn(fields.find(({ tag }) => tag === FIRST)?.body ?? Buffer.alloc(0))
  const infos = partsIn(required(fields.at(-1), SET).body)
  if (infos.length === 0) broken('it has no signer')
  return infos.map((info) =>
    signerIn(
      info,
      certificates.map(({ whole }) => whole),
    ),
  )
}

function verifies(signed: Buffer, { digest, isPss, signature }: Signer, key: KeyObject): boolean {
  const verifier = createVerify(digest).update(signed)
  return isPss
    ? verifier.verify({ key, padding: constants.RSA_PKCS1_PSS_PADDING }, signature)
    : verifier.verify(key, signature)
}

function attribute({ body }: Part, wanted: string): Part | undefined {
  const found = partsIn(body)
    .map((each) => partsIn(required(each, SEQUENCE).body))
    .find(([name]) => oidIn(required(name, OID)) === wanted)
  return found && partsIn(required(found[1], SET).body)[0]
}

function fits(content: Buffer, signer: Signer): boolean {
  const { attributes, digest, certificate } = signer
  if (attributes === undefined) return verifies(content, signer, certificate.publicKey)
  const signedDigest = attribute(attributes, MESSAGE_DIGEST)
  if (signedDigest === undefined || attribute(attributes, CONTENT_TYPE) === undefined) return false
  if (!signedDigest.body.equals(createHash(digest).update(content).digest())) return false
  // What is signed is the set itself, not the field that holds it.
  return verifies(Buffer.concat([Buffer.from([SET]), attributes.whole.subarray(1)]), signer, certificate.publicKey)
}

const commonName = (name: string): string => {
  const lines = name.split('\n')
  const shown = ['CN=', 'O='].map((key) => lines.find((line) => line.startsWith(key))?.slice(key.length)).find(Boolean)
  return cleanMetadata(shown ?? lines.join(', '), 200) || 'no name'
}

/** What was signed, as a zip by itself, and by whom. Throws for an invalid signature. */
export function readSigned(archive: Buffer): { readonly content: Buffer; readonly signature: BundleSignature } {
  const block = blockIn(archive)
  if (block === undefined) return { content: archive, signature: { state: 'unsigned' } }
  const { content, message, bytes } = block
  let signers: readonly Signer[] = []
  try {
    signers = signersIn(message)
    const contents = [content, withComment(content, (length) => length - bytes)]
    if (!contents.some((each) => signers.every((signer) => fits(each, signer))))
      broken('the content was changed after it was signed')
  } catch (error) {
    const isOurs = error instanceof Error && error.message.startsWith('the bundle is refused')
    throw isOurs ? error : new Error(broken(error instanceof Error ? error.message : 'it cannot be read'))
  }
  const [first] = signers
  if (first === undefined) return broken('it has no signer')
  const { certificate } = first
  return {
    content: withComment(content, () => 0),
    signature: {
      state: 'signed',
      by: commonName(certificate.subject),
      issuer: commonName(certificate.issuer),
      isSelfSigned: certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    },
  }
}
