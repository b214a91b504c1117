// multipart/form-data from its parts, with a boundary that none of them holds.
import { randomBytes } from 'node:crypto'
import type { Part, RequestBody } from '../../discovery/request-body.ts'

export type WireBody = { readonly contentType: string; readonly content: string | Uint8Array }

/** Quotes and line breaks in a name could end its header; the field names of forms are escaped as browsers do. */
const quoted = (text: string): string =>
  `"${text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}"`

function partBytes(boundary: string, { name, content, contentType, filename }: Part): Buffer {
  const disposition = `content-disposition: form-data; name=${quoted(name)}${filename === undefined ? '' : `; filename=${quoted(filename)}`}`
  const head = `--${boundary}\r\n${disposition}\r\n${contentType === undefined ? '' : `content-type: ${contentType.replace(/[\r\n]/g, '')}\r\n`}\r\n`
  return Buffer.concat([
    Buffer.from(head),
    typeof content === 'string' ? Buffer.from(content) : content,
    Buffer.from('\r\n'),
  ])
}

export function wireBody(body: RequestBody): WireBody {
  if ('content' in body) return { contentType: body.mediaType, content: body.content }
  // 192 random bits: no part can hold it but by guessing it.
  const boundary = `gantry-${randomBytes(24).toString('hex')}`
  return {
    contentType: `${body.mediaType}; boundary=${boundary}`,
    content: Buffer.concat([
      ...body.parts.map((part) => partBytes(boundary, part)),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  }
}
