// Which arguments may be stored in the browser.
import { describe, expect, it } from 'vitest'
import { withoutSecrets } from './without-secrets.ts'

const SCHEMA = {
  type: 'object',
  properties: { code: { $ref: '#/$defs/Code' }, owner: { type: 'object', properties: { note: { type: 'string' } } } },
  $defs: { Code: { type: 'string', format: 'password' } },
}

describe('arguments that are kept', () => {
  it('omit secrets by name, at any depth', () => {
    const args = {
      id: 7,
      apiKey: 'a',
      api_key: 'b',
      'x-auth-token': 'c',
      owner: { userPassword: 'd', note: 'e', privateKey: 'f' },
      list: [{ secret: 'g', name: 'h' }],
    }
    expect(withoutSecrets(args, SCHEMA)).toEqual({
      args: { id: 7, owner: { note: 'e' }, list: [{ name: 'h' }] },
      leftOut: ['apiKey', 'api_key', 'x-auth-token', 'owner.userPassword', 'owner.privateKey', 'list.1.secret'],
    })
  })

  it('omit schema passwords, through a reference', () => {
    expect(withoutSecrets({ code: '1234' }, SCHEMA)).toEqual({ args: {}, leftOut: ['code'] })
  })

  it.each([
    'Bearer abc.def',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x',
    'ghp_0123456789abcdefABCDEF',
    'sk-live-0123456789abcdef',
    'https://me:hunter2@example.com/x',
    '-----BEGIN RSA PRIVATE KEY-----\nMII',
    'Zm9vYmFyYmF6MTIzNDU2Nzg5MEFCQ0RFRg==',
  ])('leave out what is a secret by itself: %s', (text) => {
    expect(withoutSecrets({ text, texts: [text] }, {})).toEqual({ args: { texts: [] }, leftOut: ['text', 'texts.1'] })
  })

  it('keep similar names', () => {
    const args = {
      author: 'Ann',
      keyword: 'x',
      key: 'PROJ-1',
      max_tokens: 10,
      id: '6f1c2f0e-2f0b-4a57-9d38-0f2f6c1b9a11',
      text: 'a passing remark',
    }
    expect(withoutSecrets(args, SCHEMA)).toEqual({ args, leftOut: [] })
  })

  it('omit oversized arguments', () => {
    expect(withoutSecrets({ text: 'x '.repeat(5000) }, SCHEMA).args).toEqual({})
  })
})
