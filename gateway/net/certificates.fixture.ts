// Certificates for TLS test servers, generated per run as X.509 in DER, so that no key is stored and none expires.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type Authority = { readonly name: string; readonly certificate: string; readonly key: KeyObject }
export type Leaf = { readonly cert: string; readonly key: string }

const element = (tag: number, ...content: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(content)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content)
const oid = (hex: string): Buffer => element(0x06, Buffer.from(hex, 'hex'))
const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text))
const bits = (bytes: Uint8Array): Buffer => element(0x03, Buffer.from([0]), bytes)
const time = (at: Date): Buffer => element(0x18, Buffer.from(`${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`))
const nameOf = (text: string): Buffer => sequence(element(0x31, sequence(oid('550403'), utf8(text))))
const extension = (id: string, critical: boolean, value: Uint8Array): Buffer =>
  sequence(oid(id), ...(critical ? [element(0x01, Buffer.from([255]))] : []), element(0x04, value))

const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'))
const DAY_MS = 86_400_000

type Wanted = {
  readonly subject: string
  readonly issuer: string
  readonly signer: KeyObject
  readonly subjectKey: KeyObject
  readonly days: readonly [from: number, to: number]
  readonly extensions: readonly Uint8Array[]
}

function certificate({ subject, issuer, signer, subjectKey, days: [from, to], extensions }: Wanted): string {
  const at = (days: number): Buffer => time(new Date(Date.now() + days * DAY_MS))
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)])
  const content = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, serial),
    ECDSA_SHA256,
    nameOf(issuer),
    sequence(at(from), at(to)),
    nameOf(subject),
    subjectKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(...extensions)),
  )
  const der = sequence(content, ECDSA_SHA256, bits(sign('sha256', content, signer)))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

export function anAuthority(name = 'test authority'): Authority {
  const { privateKey, publicKey } = pair()
  const extensions = [
    extension('551d13', true, sequence(element(0x01, Buffer.from([255])))),
    extension('551d0f', true, element(0x03, Buffer.from([1, 0x06]))),
  ]
  const made = {
    subject: name,
    issuer: name,
    signer: privateKey,
    subjectKey: publicKey,
    days: [-1, 1] as const,
    extensions,
  }
  return { name, certificate: certificate(made), key: privateKey }
}

/** For one DNS name. Self-signed without an authority. */
export function aLeaf(host: string, by?: Authority, days: readonly [number, number] = [-1, 1]): Leaf {
  const { privateKey, publicKey } = pair()
  const names = sequence(element(0x82, Buffer.from(host)))
  const cert = certificate({
    subject: host,
    issuer: by?.name ?? host,
    signer: by?.key ?? privateKey,
    subjectKey: publicKey,
    days,
    extensions: [extension('551d11', false, names)],
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
