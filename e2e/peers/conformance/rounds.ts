// The tools that take several rounds: each asks its client for something, and signs what it must remember in between.
import { createHmac, randomBytes } from 'node:crypto'
import { type Context, Fault, InputRequired, isRecord, type Json } from './context.ts'

const key = randomBytes(32)
const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
const sealed = (text: string): string => `${text}.${sign(text)}`

/** What was sealed; a state that was tampered with is refused. */
function opened(state: unknown): string {
  const [text = '', signature] = typeof state === 'string' ? state.split('.') : []
  if (signature === undefined || state !== `${text}.${signature}` || sign(text) !== signature)
    throw new Fault(-32_602, 'requestState was tampered with')
  return text
}

export const form = (message: string, properties: Json, required: string[]): Json => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object', properties, required } },
})
export const sampling = (text: string, maxTokens: number): Json => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens },
})
const roots: Json = { method: 'roots/list', params: {} }
const text = (value: string): Json => ({ content: [{ type: 'text', text: value }] })
const name = form('What is your name?', { name: { type: 'string' } }, ['name'])
const confirm = form('Please confirm', { ok: { type: 'boolean' } }, ['ok'])

function given(inputs: Json, which: string): Json | undefined {
  const value = inputs[which]
  return isRecord(value) ? value : undefined
}

export const ROUND_TOOLS: Readonly<Record<string, (context: Context) => Json>> = {
  test_input_required_result_elicitation({ inputs }) {
    const answer = given(inputs, 'user_name')
    if (!answer) throw new InputRequired({ user_name: name })
    return text(`Hello, ${String((answer.content as Json | undefined)?.name)}!`)
  },
  test_input_required_result_sampling({ inputs }) {
    const answer = given(inputs, 'capital_question')
    if (!answer) throw new InputRequired({ capital_question: sampling('What is the capital of France?', 100) })
    return text(`The model answered: ${JSON.stringify(answer.content)}`)
  },
  test_input_required_result_list_roots({ inputs }) {
    const answer = given(inputs, 'client_roots')
    if (!answer) throw new InputRequired({ client_roots: roots })
    return text(`Roots: ${JSON.stringify(answer.roots)}`)
  },
  test_input_required_result_request_state({ inputs, state }) {
    if (state === undefined) throw new InputRequired({ confirm }, sealed('confirm'))
    opened(state)
    if (!given(inputs, 'confirm')) throw new InputRequired({ confirm }, sealed('confirm'))
    return text('state-ok')
  },
  test_input_required_result_multiple_inputs({ inputs, state }) {
    const wanted = { user_name: name, greeting: sampling('Generate a greeting', 50), client_roots: roots }
    if (state === undefined) throw new InputRequired(wanted, sealed('multiple'))
    opened(state)
    const missing = Object.entries(wanted).filter(([which]) => !given(inputs, which))
    if (missing.length > 0) throw new InputRequired(Object.fromEntries(missing), sealed('multiple'))
    return text('all inputs received')
  },
  test_input_required_result_multi_round({ inputs, state }) {
    const first = form('Step 1: What is your name?', { name: { type: 'string' } }, ['name'])
    const second = form('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color'])
    const step = state === undefined ? 'none' : opened(state)
    if (step === 'one' && given(inputs, 'step1')) throw new InputRequired({ step2: second }, sealed('two'))
    if (step === 'two' && given(inputs, 'step2')) return text('both steps done')
    throw new InputRequired(
      step === 'two' ? { step2: second } : { step1: first },
      sealed(step === 'two' ? 'two' : 'one'),
    )
  },
  test_input_required_result_tampered_state({ inputs, state }) {
    if (state === undefined) throw new InputRequired({ confirm }, sealed('tampered'))
    opened(state)
    return text(given(inputs, 'confirm') ? 'state-ok' : 'not confirmed')
  },
  test_input_required_result_capabilities({ inputs, capabilities }) {
    const wanted: Json = {
      ...(capabilities.elicitation === undefined ? {} : { user_name: name }),
      ...(capabilities.sampling === undefined ? {} : { greeting: sampling('Generate a greeting', 50) }),
    }
    const missing = Object.entries(wanted).filter(([which]) => !given(inputs, which))
    if (missing.length > 0) throw new InputRequired(Object.fromEntries(missing))
    return text('capabilities respected')
  },
}
