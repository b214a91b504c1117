// Names are stable, legal and never taken twice.
import { describe, expect, it } from 'vitest'
import { flatName, keepName, listedName, pathName, snakeCase, uniqueNames } from './names.ts'

describe('bare names', () => {
  it('never hands out the reserved name', () => {
    const name = uniqueNames()
    expect(name('search_tools')).toBe('search_tools_2')
    expect(name('search_tools')).toBe('search_tools_3')
  })

  it('numbers collisions in order and stays within 128 characters', () => {
    const name = uniqueNames()
    const long = 'a'.repeat(128)
    expect([name('x'), name('x'), name('x_2'), name('x')]).toEqual(['x', 'x_2', 'x_2_2', 'x_3'])
    expect(name(long)).toBe(long)
    expect(name(long)).toBe(`${'a'.repeat(126)}_2`)
    expect(name('')).toBe('tool')
  })

  it('keeps the case of a source name and replaces only what is not allowed', () => {
    expect(keepName('contacts/create-import')).toBe('contacts_create-import')
    expect(keepName('a'.repeat(300))).toHaveLength(128)
  })

  it('flattens folders and request names', () => {
    expect(flatName(['Users', 'Get one'])).toBe('users_get_one')
    expect(flatName(['A – B', '!!', ' Crème  (v2) '])).toBe('a_b_cr_me_v2')
  })

  it('names an operation after its method and path', () => {
    expect(pathName('GET', '/users/{id}')).toBe('get_users_by_id')
    expect(pathName('get', '/a/{b}.json?x=1#y')).toBe('get_a_by_b_json')
    expect(pathName('delete', '/')).toBe('delete')
  })

  it('finds a camel-case name by its snake-case form', () => {
    expect(snakeCase('getPetById')).toBe('get_pet_by_id')
    expect(snakeCase('listHTTPRoutes-v2')).toBe('list_http_routes_v2')
  })
})

describe('listed names', () => {
  it('shortens only what is over 64 characters, the same way every time', () => {
    const wanted = 'n'.repeat(65)
    const listed = listedName(wanted, 'shop', wanted)
    expect(listedName('n'.repeat(64), 'shop', 'x')).toBe('n'.repeat(64))
    expect(listed).toMatch(/^n{55}_[0-9a-f]{8}$/)
    expect(listedName(wanted, 'shop', wanted)).toBe(listed)
    expect(listedName(wanted, 'other', wanted)).not.toBe(listed)
  })
})
