"""The site's models -> their files, on one machine or on many, kept until the site is whole."""
