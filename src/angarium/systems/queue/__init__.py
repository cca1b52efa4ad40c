"""The verified queue, the transport that it was made for, and what is proved and checked of both."""
