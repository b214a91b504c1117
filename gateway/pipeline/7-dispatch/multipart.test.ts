// multipart/form-data: no name and no content ends its part early, and bytes arrive as they were.
import { describe, expect, it } from 'vitest'
import type { Part } from '../../discovery/request-body.ts'
import { wireBody } from './multipart.ts'

const form = (parts: readonly Part[]) => {
  const { contentType, content } = wireBody({ mediaType: 'multipart/form-data', parts })
  return {
    boundary: contentType.split('boundary=')[1] ?? '',
    contentType,
    text: Buffer.from(content).toString('latin1'),
  }
}

describe('a multipart body', () => {
  it('keeps line breaks and quotes of names out of its headers', () => {
    const { text } = form([
      { name: 'a"\r\nx-evil: 1', content: 'v', filename: 'f"\n.txt', contentType: 'text/plain\r\nx-evil: 2' },
    ])
    expect(text).not.toMatch(/^x-evil/m)
    expect(text).toContain('name="a%22%0D%0Ax-evil: 1"; filename="f%22%0A.txt"')
  })

  it('is read back by an independent parser, bytes and all', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45])
    const body = wireBody({
      mediaType: 'multipart/form-data',
      parts: [
        { name: 'text', content: 'ünï\r\n--' },
        { name: 'file', content: bytes, filename: 'a.bin', contentType: 'application/x-thing' },
      ],
    })
    const read = await new Response(Buffer.from(body.content), {
      headers: { 'content-type': body.contentType },
    }).formData()
    expect(read.get('text')).toBe('ünï\r\n--')
    const file = read.get('file')
    if (!(file instanceof File)) throw new Error('The file came back as text')
    expect([file.name, file.type, Buffer.from(await file.arrayBuffer())]).toEqual([
      'a.bin',
      'application/x-thing',
      bytes,
    ])
  })

  it('has another boundary each time, and other bodies travel as they are', () => {
    expect(form([]).boundary).not.toBe(form([]).boundary)
    expect(wireBody({ mediaType: 'application/json', content: '{}' })).toEqual({
      contentType: 'application/json',
      content: '{}',
    })
  })
})
