/** The environment variables with the address of the API and the token of the session. */
export const URL_VARIABLE = "HOLDFAST_AGENT_URL";
export const TOKEN_VARIABLE = "HOLDFAST_AGENT_TOKEN";
