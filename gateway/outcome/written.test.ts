// A written result equals its source for every reader.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallToolResult } from './outcome.ts'
import { recordOf, resultOf, textJson, withContent, write, writeRecord, writtenOf } from './written.ts'

const json = fc.jsonValue({ depthSize: 'small' })
const record = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  json,
)
const results: fc.Arbitrary<CallToolResult> = fc
  .record(
    { content: fc.array(record), structuredContent: record, isError: fc.boolean(), _meta: record, own: json },
    { requiredKeys: ['content'] },
  )
  // As it is after JSON, where minus zero is zero.
  .map((result) => JSON.parse(JSON.stringify(result)) as CallToolResult)

const again = (result: CallToolResult): CallToolResult => resultOf(write(result, undefined, 7))

describe('a written result', () => {
  it('holds the same', () => {
    fc.assert(
      fc.property(results, (result) => {
        const { _meta, ...rest } = result
        const kept = _meta && Object.keys(_meta).length > 0 ? result : rest
        expect({ ...again(result) }).toEqual(kept)
        expect(JSON.parse(JSON.stringify(again(result)))).toEqual(kept)
        expect(again(result).content).toEqual(result.content)
        expect(again(result).isError === true).toBe(result.isError === true)
      }),
    )
  })

  it('given other content, loses its structure and nothing else', () => {
    fc.assert(
      fc.property(results, (result) => {
        const content = [{ type: 'text', text: 'other' }]
        expect(withContent(again(result), content)).toEqual(withContent({ ...again(result) }, content))
      }),
    )
  })

  it('takes the text of its structure as it is given', () => {
    const result = { content: [], structuredContent: { a: 1 } }
    const given = write(result, '{"a": 1.0}', 0)
    expect(Buffer.from(given.members).toString()).toBe('"content":[],"structuredContent":{"a": 1.0},')
    expect(resultOf(given)).toMatchObject(result)
  })

  it('of texts alone gives their JSON without reading it, and how many bytes they have', () => {
    const texts = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(texts, (lines) => {
        const result = again({ content: lines.map((text) => ({ type: 'text', text })) })
        expect(JSON.parse(`"${Buffer.concat(textJson(result) ?? []).toString()}"`)).toBe(lines.join('\n'))
        const bytes = writtenOf(result)?.texts?.map((text) => text.bytes)
        expect(bytes).toEqual(lines.map((text) => Buffer.byteLength(text)))
      }),
    )
    const text = { type: 'text', text: 'a' }
    const others = [{ type: 'image', data: '' }, { ...text, annotations: {} }, { text: 'a', type: 'text' }, {}]
    for (const other of others) expect(textJson(again({ content: [text, other] }))).toBeUndefined()
    expect(textJson({ content: [text] })).toBeUndefined()
  })

  it('is known as one, with what its content counts', () => {
    expect(writtenOf(again({ content: [] }))).toMatchObject({ contentBytes: 7, meta: '' })
    expect(writtenOf({ content: [] })).toBeUndefined()
  })

  it('of any other request finds its content where it is looked for', () => {
    const contents = [{ uri: 'a:b', text: 'c' }]
    const given = writeRecord({ contents, _meta: { own: 1 } }, 1)
    expect({ ...recordOf(given) }).toEqual({ contents, _meta: { own: 1 } })
    const { content } = resultOf(given, (read) => read.contents as CallToolResult['content']) // as it was written
    expect(content).toEqual(contents)
  })
})
