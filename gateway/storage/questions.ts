// Every question that may look at many rows. What goes in and comes out are plain records: they cross to a thread.
import { OF_CONTEXT } from './context-use.ts'
import { OF_SPANS } from './spans.ts'
import { OF_CALLS } from './usage.ts'

export const QUESTIONS = { ...OF_CALLS, ...OF_CONTEXT, ...OF_SPANS } as const
export type Question = keyof typeof QUESTIONS
export type About<Q extends Question> = Parameters<(typeof QUESTIONS)[Q]>[1]
export type Found<Q extends Question> = Awaited<ReturnType<(typeof QUESTIONS)[Q]>>
