// A sentence with elements in it, in the order that the language wants.
import { Fragment, type ReactNode } from 'react'
import { partsOf } from '#language'
import { unfilled } from './language.ts'

/** `rich('Open {page} first.', { page: <Link …/> })`. */
export function rich(text: string, values: Readonly<Record<string, ReactNode>>): ReactNode {
  return partsOf(unfilled(text)).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order
    <Fragment key={index}>{typeof part === 'string' ? part : values[part.name]}</Fragment>
  ))
}
