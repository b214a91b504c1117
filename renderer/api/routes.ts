// Method and path of each endpoint. The build puts the value here, so that a page loads no schema to send a request.
import { API } from '#contract'

export const ROUTES = API
