// Search: filled in below.
